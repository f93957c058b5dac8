// Steps through the turns of a match; without JavaScript all of them are shown.
"use strict";
(() => {
  const turns = [...document.querySelectorAll(".turn")];
  const bar = document.querySelector(".steps");
  if (!bar || !turns.length) return;
  const told = bar.querySelector("output");
  let at = Math.max(0, turns.findIndex((turn) => `#${turn.id}` === location.hash));

  function show(next, stepped = true) {
    at = Math.min(Math.max(next, 0), turns.length - 1);
    turns.forEach((turn, number) => { turn.hidden = number !== at; });
    told.textContent = `${at + 1} of ${turns.length}`;
    if (stepped) history.replaceState(null, "", `#${turns[at].id}`); // not while the page loads: it would scroll there
  }

  const moves = { first: () => 0, previous: () => at - 1, next: () => at + 1, last: () => turns.length - 1 };
  bar.addEventListener("click", (event) => {
    const step = event.target.dataset.step;
    if (step) show(moves[step]());
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!step || event.target.closest(".scroll")) return;
    event.preventDefault();
    show(moves[step]());
  });
  bar.hidden = false;
  show(at, false);
})();
