"use strict";

/* Frames of ARC games: 64 by 64 pixels in 16 colours. */
const arc = (() => {
  const SIZE = 64;
  const COLOURS = [
    "#ffffff", "#c8ccd4", "#8b919e", "#565c69", "#2c313b", "#050608", "#e8559f", "#ff9ccb",
    "#ee4338", "#2286f0", "#86d2fb", "#ffd83a", "#ff8d2d", "#8d2140", "#45bb5c", "#955bdb",
  ];
  const RGB = COLOURS.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));

  /** Draw pixels, an array of 4,096 colours row by row, on a canvas of 64 by 64. */
  function draw(canvas, pixels) {
    const context = canvas.getContext("2d");
    const image = context.createImageData(SIZE, SIZE);
    for (let at = 0; at < pixels.length; at++) {
      const [red, green, blue] = RGB[pixels[at]];
      image.data.set([red, green, blue, 255], 4 * at);
    }
    context.putImageData(image, 0, 0);
  }

  /** The pixels that a text of hexadecimal digits stands for. */
  const pixels = (text) => Uint8Array.from(text, (digit) => parseInt(digit, 16));

  return { SIZE, draw, pixels };
})();
