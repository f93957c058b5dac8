"use strict";

/* Play in the browser: keys go to the site, and what changes from tick to tick comes back and is drawn.
   A page may have several games, of which one runs at a time. */
(() => {
  const KEYS = {
    ArrowUp: "UP", ArrowDown: "DOWN", ArrowLeft: "LEFT", ArrowRight: "RIGHT", " ": "USE",
    w: "UP", s: "DOWN", a: "LEFT", d: "RIGHT",
  };
  let running = null;

  class Game {
    constructor(root) {
      this.root = root;
      this.canvas = root.querySelector("canvas");
      this.context = this.canvas.getContext("2d");
      this.start = root.querySelector(".start");
      this.pad = root.querySelector(".pad");
      this.status = root.querySelector(".status");
      this.consent = root.querySelector(".consent");
      this.socket = null;
      this.held = new Set();
      this.layers = [];
      this.images = [];
      this.start.onclick = () => this.begin();
      for (const button of this.pad.querySelectorAll("button")) this.touch(button);
      this.preview();
    }

    send() {
      if (this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ keys: [...this.held] }));
    }

    press(key) {
      if (this.held.has(key)) return;
      this.held.add(key);
      this.send();
    }

    release(key) {
      if (this.held.delete(key)) this.send();
    }

    releaseAll() {
      this.held.clear();
      this.send();
    }

    touch(button) {
      button.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        button.setPointerCapture(event.pointerId);
        button.classList.add("pressed");
        this.press(button.dataset.key);
      });
      for (const kind of ["pointerup", "pointercancel"]) {
        button.addEventListener(kind, () => { button.classList.remove("pressed"); this.release(button.dataset.key); });
      }
    }

    draw() {
      this.context.fillStyle = "#000";
      this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
      for (const entries of this.layers) {
        for (let at = 0; entries && at < entries.length; at += 3) {
          const image = this.images[entries[at]];
          if (image.complete) this.context.drawImage(image, entries[at + 1], entries[at + 2]);
        }
      }
    }

    fit() {
      this.canvas.style.setProperty("--width", `${1.5 * this.canvas.width}px`);
      this.canvas.style.setProperty("--ratio", this.canvas.width / this.canvas.height);
    }

    /** Draws the start of the level, until a game runs. */
    preview() {
      const picture = new Image();
      picture.onload = () => { if (!this.socket) this.context.drawImage(picture, 0, 0); };
      picture.src = this.root.dataset.start;
      this.fit();
    }

    /** Scrolls to the game if it or the touch pad is not in view. */
    reveal() {
      const stage = this.canvas.parentElement.getBoundingClientRect(), pad = this.pad.getBoundingClientRect();
      if (stage.top < 0 || Math.max(stage.bottom, pad.bottom) > window.innerHeight) this.canvas.parentElement.scrollIntoView();
    }

    show(news) {
      if (news.size) {
        [this.canvas.width, this.canvas.height] = news.size;
        this.fit();
        for (const button of this.pad.querySelectorAll("button")) button.hidden = !news.actions.includes(button.dataset.key);
        this.reveal();
      }
      for (const url of news.pictures) {
        const image = new Image();
        image.onload = () => this.draw();
        image.src = url;
        this.images.push(image);
      }
      for (const [layer, at, gone, ...come] of news.layers) {
        const now = this.layers[layer] || [];
        this.layers[layer] = now.slice(0, 3 * at).concat(come, now.slice(3 * (at + gone)));
      }
      this.root.querySelector(".score").textContent = toldNumber(news.score);
      this.root.querySelector(".tick").textContent = String(news.tick);
      this.draw();
    }

    end(news) {
      this.status.textContent = `${news.won ? "Won" : "Over"}, with a score of ${toldNumber(news.score)} after ${news.ticks} ticks. `;
      if (news.record) {
        const link = document.createElement("a");
        link.href = news.record;
        link.textContent = "Watch the replay";
        this.status.append(link);
      }
    }

    stop() {
      this.socket = null;
      this.held.clear();
      if (running === this) running = null;
      this.root.classList.remove("running");
      this.start.textContent = "Play again";
      this.start.hidden = false;
    }

    begin() {
      if (running) {
        running.status.textContent = "Stopped.";
        running.socket.close();
      }
      running = this;
      this.layers = [];
      this.images = [];
      this.start.hidden = true;
      this.status.textContent = "";
      this.root.classList.add("running");
      this.canvas.focus({ preventScroll: true });
      const scheme = location.protocol === "https:" ? "wss:" : "ws:";
      const socket = this.socket = new WebSocket(`${scheme}//${location.host}${this.root.dataset.socket}`);
      socket.onopen = () => socket.send(JSON.stringify({ start: true, consent: Boolean(this.consent && this.consent.checked) }));
      socket.onmessage = (event) => {
        const news = JSON.parse(event.data);
        if (news.problem) this.status.textContent = news.problem;
        else if (news.over) this.end(news);
        else if (news.played !== undefined) this.root.dispatchEvent(new CustomEvent("played", { detail: news.played }));
        else this.show(news);
      };
      socket.onclose = () => {
        if (!this.status.textContent) this.status.textContent = "The connection was lost.";
        this.stop();
      };
    }
  }

  for (const root of document.querySelectorAll(".playable")) new Game(root);
  document.addEventListener("keydown", (event) => {
    const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!key || !running || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("form")) return;
    event.preventDefault();
    running.press(key);
  });
  document.addEventListener("keyup", (event) => {
    const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (key && running) running.release(key);
  });
  window.addEventListener("blur", () => { if (running) running.releaseAll(); });
})();
