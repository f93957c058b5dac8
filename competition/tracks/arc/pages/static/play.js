"use strict";

/* A person plays a game through the API that programs use. */
(() => {
  const element = (id) => document.getElementById(id);
  const canvas = element("frame"), place = element("play");
  const { game, api, cards } = place.dataset;
  const LAYER_MS = 70;
  const KEYS = {
    ArrowUp: 1, ArrowDown: 2, ArrowLeft: 3, ArrowRight: 4, w: 1, s: 2, a: 3, d: 4, " ": 5, z: 7, r: 0,
  };
  const STORED = "vgdl-arc-key";

  let key = localStorage.getItem(STORED);
  let card = null, guid = null, state = null, available = [];
  let actions = 0;
  let busy = Promise.resolve(); // the command that is being carried out
  let waiting = 0;

  async function ask(path, body, key_needed = true) {
    const answer = await fetch(`${api}/${path}`, {
      method: body ? "POST" : "GET",
      headers: { "Content-Type": "application/json", ...(key_needed ? { "X-API-Key": key } : {}) },
      body: body && JSON.stringify(body),
    });
    const facts = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(facts.message), { status: answer.status });
    return facts;
  }

  const tell = (words) => { element("told").textContent = words; };

  async function show(answer) {
    guid = answer.guid;
    state = answer.state;
    available = answer.available_actions;
    for (const [number, layer] of answer.frame.entries()) {
      if (number) await new Promise((done) => setTimeout(done, LAYER_MS));
      arc.draw(canvas, layer.flat());
    }
    const { levels_completed: completed, win_levels: levels } = answer;
    element("level").textContent = `${Math.min(completed + 1, levels)} of ${levels}`;
    element("actions").textContent = actions;
    if (state === "WIN") {
      tell("You have finished the game.");
      await close();
    } else if (state === "GAME_OVER") {
      tell("Game over: reset the level to try again.");
    } else {
      tell(answer.full_reset ? "Find out what to do." : answer.action_input.id === 0 ? "The level begins anew." : "");
    }
    for (const button of document.querySelectorAll("[data-action]")) {
      const action = Number(button.dataset.action);
      button.disabled = state === "WIN" || (action !== 0 && (state === "GAME_OVER" || !available.includes(action)));
    }
  }

  async function close() {
    const link = element("done");
    link.href = `${cards}/${card}.html`;
    await ask("scorecard/close", { card_id: card });
    link.hidden = false;
    card = null;
  }

  /** Give a command after those that were given before; what is pressed faster than it is answered is dropped. */
  function command(action, x, y) {
    if (!card || waiting > 1 || (action && (state !== "NOT_FINISHED" || !available.includes(action)))) return;
    waiting++;
    busy = busy.then(async () => {
      if (!card || (action && state !== "NOT_FINISHED")) return;
      const body = { game_id: game, guid, card_id: card, ...(x === undefined ? {} : { x, y }) };
      const answer = await ask(`cmd/${action ? `ACTION${action}` : "RESET"}`, body);
      actions = answer.full_reset ? 0 : actions + 1;
      await show(answer);
    }).catch((error) => tell(`${error.message}. Load the page again to start anew.`)).finally(() => { waiting--; });
  }

  async function begin() {
    try {
      if (!key) {
        key = (await ask("games/anonkey", null, false)).api_key;
        localStorage.setItem(STORED, key);
      }
      card = (await ask("scorecard/open", { tags: ["human"] })).card_id;
      await show(await ask("cmd/RESET", { game_id: game, card_id: card }));
      canvas.focus({ preventScroll: true });
    } catch (error) {
      tell(error.status === 401 ? "" : error.message);
      element("key-form").hidden = error.status !== 401;
    }
  }

  element("key-form").onsubmit = (event) => {
    event.preventDefault();
    key = element("key").value.trim();
    localStorage.setItem(STORED, key);
    element("key-form").hidden = true;
    begin();
  };
  for (const button of document.querySelectorAll("[data-action]")) {
    button.onclick = () => command(Number(button.dataset.action));
  }
  canvas.onclick = (event) => {
    const box = canvas.getBoundingClientRect();
    const pixel = (at, from, length) => Math.max(0, Math.min(arc.SIZE - 1, Math.floor((arc.SIZE * (at - from)) / length)));
    command(6, pixel(event.clientX, box.left, box.width), pixel(event.clientY, box.top, box.height));
  };
  document.addEventListener("keydown", (event) => {
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!(pressed in KEYS) || event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
    if (pressed === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    command(KEYS[pressed]);
  });
  addEventListener("pagehide", () => {
    if (!card) return;
    const headers = { "Content-Type": "application/json", "X-API-Key": key };
    fetch(`${api}/scorecard/close`, { method: "POST", keepalive: true, headers, body: JSON.stringify({ card_id: card }) });
  });
  begin();
})();
