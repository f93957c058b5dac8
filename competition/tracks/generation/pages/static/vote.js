"use strict";

/* The page for voting: the answers can be chosen once the site has counted enough seconds on both sides. */
(() => {
  const bars = {};
  for (const side of ["left", "right"]) {
    const bar = bars[side] = document.getElementById(`${side}-played`);
    if (!bar) return;
    document.getElementById(`${side}-game`).addEventListener("played", (event) => {
      bar.value = event.detail;
      document.getElementById(`${side}-seconds`).textContent = String(Math.floor(event.detail));
      const answers = document.getElementById("answers");
      if (answers.disabled && Object.values(bars).every((one) => one.value >= one.max)) {
        answers.disabled = false;
        document.getElementById("ready").textContent = "You can answer now.";
      }
    });
  }
})();
