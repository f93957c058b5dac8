"use strict";

/* The first frames in the list of games. */
for (const canvas of document.querySelectorAll("canvas[data-pixels]")) {
  arc.draw(canvas, arc.pixels(canvas.dataset.pixels));
}
