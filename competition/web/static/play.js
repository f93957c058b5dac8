"use strict";

/* Play in the browser: keys go to the site, and what changes from tick to tick comes back and is drawn. */
(() => {
  const KEYS = {
    ArrowUp: "UP", ArrowDown: "DOWN", ArrowLeft: "LEFT", ArrowRight: "RIGHT", " ": "USE",
    w: "UP", s: "DOWN", a: "LEFT", d: "RIGHT",
  };
  const element = (id) => document.getElementById(id);
  const game = element("game"), canvas = element("canvas"), context = canvas.getContext("2d"), start = element("start");

  let socket = null;
  const held = new Set();
  let layers = [], images = [];

  function send() {
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ keys: [...held] }));
  }

  function press(key) {
    if (held.has(key)) return;
    held.add(key);
    send();
  }

  function release(key) {
    if (held.delete(key)) send();
  }

  function draw() {
    context.fillStyle = "#000";
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const entries of layers) {
      for (let at = 0; entries && at < entries.length; at += 3) {
        const image = images[entries[at]];
        if (image.complete) context.drawImage(image, entries[at + 1], entries[at + 2]);
      }
    }
  }

  function fit() {
    canvas.style.setProperty("--width", `${1.5 * canvas.width}px`);
    canvas.style.setProperty("--ratio", canvas.width / canvas.height);
  }

  /** Draws the start of the level, until a game runs. */
  function preview() {
    const picture = new Image();
    picture.onload = () => { if (!socket) context.drawImage(picture, 0, 0); };
    picture.src = game.dataset.start;
    fit();
  }

  /** Scrolls to the game if it or the touch pad is not in view. */
  function reveal() {
    const stage = canvas.parentElement.getBoundingClientRect(), pad = element("pad").getBoundingClientRect();
    if (stage.top < 0 || Math.max(stage.bottom, pad.bottom) > window.innerHeight) canvas.parentElement.scrollIntoView();
  }

  function show(news) {
    if (news.size) {
      [canvas.width, canvas.height] = news.size;
      fit();
      for (const button of document.querySelectorAll("#pad button")) button.hidden = !news.actions.includes(button.dataset.key);
      reveal();
    }
    for (const url of news.pictures) {
      const image = new Image();
      image.onload = draw;
      image.src = url;
      images.push(image);
    }
    for (const [layer, at, gone, ...come] of news.layers) {
      const now = layers[layer] || [];
      layers[layer] = now.slice(0, 3 * at).concat(come, now.slice(3 * (at + gone)));
    }
    element("score").textContent = toldNumber(news.score);
    element("tick").textContent = String(news.tick);
    draw();
  }

  function end(news) {
    const status = element("status");
    status.textContent = `${news.won ? "Won" : "Over"}, with a score of ${toldNumber(news.score)} after ${news.ticks} ticks. `;
    if (news.record) {
      const link = document.createElement("a");
      link.href = news.record;
      link.textContent = "Watch the replay";
      status.append(link);
    }
  }

  function stop() {
    socket = null;
    held.clear();
    game.classList.remove("running");
    start.textContent = "Play again";
    start.hidden = false;
  }

  function begin() {
    layers = [];
    images = [];
    start.hidden = true;
    element("status").textContent = "";
    game.classList.add("running");
    canvas.focus({ preventScroll: true });
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(`${scheme}//${location.host}${game.dataset.socket}`);
    socket.onopen = () => socket.send(JSON.stringify({ start: true, consent: element("consent").checked }));
    socket.onmessage = (event) => {
      const news = JSON.parse(event.data);
      if (news.problem) element("status").textContent = news.problem;
      else if (news.over) end(news);
      else show(news);
    };
    socket.onclose = () => {
      if (!element("status").textContent) element("status").textContent = "The connection was lost.";
      stop();
    };
  }

  start.onclick = begin;
  preview();
  document.addEventListener("keydown", (event) => {
    const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!key || !socket || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press(key);
  });
  document.addEventListener("keyup", (event) => {
    const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (key) release(key);
  });
  window.addEventListener("blur", () => { held.clear(); send(); });
  for (const button of document.querySelectorAll("#pad button")) {
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.setPointerCapture(event.pointerId);
      button.classList.add("pressed");
      press(button.dataset.key);
    });
    for (const kind of ["pointerup", "pointercancel"]) {
      button.addEventListener(kind, () => { button.classList.remove("pressed"); release(button.dataset.key); });
    }
  }
})();
