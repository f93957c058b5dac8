"use strict";

/* The player of replays. A script beside the page calls arc.replay with the commands of a play. */
(() => {
  const element = (id) => document.getElementById(id);
  const canvas = element("frame"), scrub = element("scrub"), pointer = element("pointer");
  let commands = []; // [name, x, y, state, levels completed, levels, reasoning, pictures]
  let position = 0; // number of the command that is shown
  let timers = []; // of the animation of a command, and of playing
  let playing = false;

  /** All pictures of all commands, from the changes between them. */
  function unroll(told) {
    let before = null;
    for (const command of told) {
      command[7] = command[7].map((layer) => {
        if (typeof layer === "string") return (before = arc.pixels(layer));
        before = before.slice();
        for (let at = 0; at < layer.length; at += 2) before[layer[at]] = layer[at + 1];
        return before;
      });
    }
    return told;
  }

  function stopTimers() {
    timers.forEach(clearTimeout);
    timers = [];
  }

  /** Show a command; animated, its pictures follow one another. Returns how long that takes. */
  function show(at, animated) {
    position = at;
    const [name, x, y, state, completed, levels, reasoning, pictures] = commands[at];
    const step = 80 / Number(element("speed").value);
    const first = animated ? 0 : pictures.length - 1;
    for (let number = first; number < pictures.length; number++) {
      if (number === first) arc.draw(canvas, pictures[number]);
      else timers.push(setTimeout(() => arc.draw(canvas, pictures[number]), step * (number - first)));
    }
    scrub.value = at;
    scrub.setAttribute("aria-valuetext", `command ${at} of ${commands.length - 1}`);
    element("at").textContent = `${at} / ${commands.length - 1}`;
    element("action").textContent = x === null ? name : `${name} at ${x}, ${y}`;
    element("level").textContent = `${Math.min(completed + 1, levels)} of ${levels}`;
    element("state").textContent = state;
    element("why").textContent = reasoning || "none was given";
    pointer.hidden = x === null;
    if (x !== null) {
      pointer.style.left = `${(100 * (x + 0.5)) / arc.SIZE}%`;
      pointer.style.top = `${(100 * (y + 0.5)) / arc.SIZE}%`;
    }
    return step * (pictures.length - first - 1);
  }

  function go(at) {
    pause();
    show(Math.max(0, Math.min(commands.length - 1, at)), false);
  }

  function pause() {
    stopTimers();
    playing = false;
    element("watch").classList.remove("playing");
    element("toggle").setAttribute("aria-label", "play");
  }

  function play() {
    if (position === commands.length - 1) show(0, false);
    playing = true;
    element("watch").classList.add("playing");
    element("toggle").setAttribute("aria-label", "pause");
    next();
  }

  function next() {
    stopTimers();
    if (position === commands.length - 1) return pause();
    const pause_ms = 200 / Number(element("speed").value); // five commands per second at 1×
    const taken = show(position + 1, true);
    timers.push(setTimeout(next, Math.max(pause_ms, taken + pause_ms / 2)));
  }

  const toggle = () => (playing ? pause() : play());
  const keys = {
    " ": toggle, ArrowLeft: () => go(position - 1), ArrowRight: () => go(position + 1), Home: () => go(0),
    End: () => go(commands.length - 1),
  };

  arc.replay = (told, cut) => {
    commands = unroll(told);
    if (!commands.length) return;
    scrub.max = commands.length - 1;
    element("toggle").onclick = toggle;
    element("first").onclick = keys.Home;
    element("back").onclick = keys.ArrowLeft;
    element("forward").onclick = keys.ArrowRight;
    element("last").onclick = keys.End;
    scrub.oninput = () => go(Number(scrub.value));
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || ["SELECT", "A"].includes(event.target.tagName)) return;
      if (event.key === " " && event.target.tagName === "BUTTON") return;
      if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    });
    show(0, false);
    if (cut) element("why-title").before(`Only the first ${commands.length} commands are shown.`);
  };
})();
