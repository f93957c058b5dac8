"use strict";

/** A number with at most three decimal places and a minus sign, as the filter "number" of the templates writes it. */
const toldNumber = (value) => String(Math.round(1000 * value) / 1000).replace("-", "\u2212");
