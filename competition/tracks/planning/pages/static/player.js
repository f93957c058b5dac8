"use strict";

/* The player of replays.
 *
 * Data are scripts that call vgdl.plays (the list), vgdl.drawings (the pictures of a game) and vgdl.film (a play), since
 * a page that is opened as a file cannot fetch others. A film is JSON, deflated, in base64. Each of its layers is a list
 * of spans [actions so far, place, entries removed, and three numbers for each entry added: picture, x, y].
 */
const vgdl = (() => {
  const TICK_MS = 40; // at speed 1, as fast as the competition allows to play
  const element = (id) => document.getElementById(id);
  const canvas = element("canvas");
  const context = canvas.getContext("2d");
  const scrub = element("scrub");

  let list = null; // what vgdl.plays was given
  let drawings = {}; // pictures by file name of the game
  let play = null; // the row of the list that is shown
  let film = null; // what is shown, null while it is loaded
  let position = 0; // actions before what is shown
  let began = null; // when and where playing began; null while it is paused

  // ---------------------------------------------------------------------------------------------- data

  function load(file) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = file;
      script.onload = () => resolve(script.remove());
      script.onerror = () => reject(new Error(`${file} is missing`));
      document.head.append(script);
    });
  }

  const arrived = {}; // films by number, being unpacked

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  /** The states of a layer: lists of numbers, with the ticks from which on they are shown. */
  function unroll(spans) {
    const ticks = [], lists = [];
    let now = [];
    for (const [tick, at, gone, ...come] of spans) {
      now = now.slice(0, 3 * at).concat(come, now.slice(3 * (at + gone)));
      if (ticks[ticks.length - 1] !== tick) {
        ticks.push(tick);
        lists.push(now);
      } else {
        lists[lists.length - 1] = now;
      }
    }
    return { ticks, lists };
  }

  /** Number of the last entry that is no later than a tick; -1 if there is none. */
  function lastUntil(ticks, tick) {
    let low = 0, high = ticks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ticks[middle] <= tick) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  async function picture(url) {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  }

  /** What the answer in each tick used; null where the player was not asked, or did not answer. */
  function usedByTick(actions, used) {
    let next = 0;
    return actions.map((action) => (action !== "" && next < used.length ? used[next++] : null));
  }

  async function open(number) {
    const row = list.plays.find((one) => one[0] === number);
    if (!row) throw new Error(`there is no replay of play ${number}`);
    pause();
    play = row;
    film = null;
    choose(row);
    element("player").setAttribute("aria-busy", "true");
    const file = list.files[row[1]];
    if (!drawings[file]) await load(`drawings/${file}.js`);
    await load(`replays/${number}.js`);
    const facts = await arrived[number];
    delete arrived[number];
    const images = await Promise.all(facts.pictures.map((name) => picture(drawings[file][name])));
    if (play !== row) return; // another one was asked for meanwhile
    film = {
      ticks: facts.ticks,
      images,
      layers: facts.layers.map(unroll),
      scores: facts.scores.map((changes) => ({ ticks: changes.map((one) => one[0]), values: changes.map((one) => one[1]) })),
      actions: facts.actions,
      used: facts.actions.map((actions, player) => usedByTick(actions, facts.used[player])),
      error: facts.error,
    };
    if (facts.avatars.length > 1) facts.avatars.forEach(introduce);
    [canvas.width, canvas.height] = facts.size;
    canvas.style.setProperty("--width", `${1.5 * canvas.width}px`);
    canvas.style.setProperty("--ratio", canvas.width / canvas.height);
    scrub.max = film.ticks;
    element("player").removeAttribute("aria-busy");
    drawUsage();
    show(0);
    tell();
  }

  // ---------------------------------------------------------------------------------------------- what is seen

  /** The number of the tick that is shown. The action that ends a game does not begin another tick. */
  function tick() {
    return Math.min(position, play[4]);
  }

  function where() {
    return `tick ${tick()} of ${play[4]}`;
  }

  function show(wanted) {
    position = Math.max(0, Math.min(film.ticks, wanted));
    context.fillStyle = "#000";
    context.fillRect(0, 0, canvas.width, canvas.height);
    for (const layer of film.layers) {
      const entries = layer.lists[lastUntil(layer.ticks, position)] || [];
      for (let at = 0; at < entries.length; at += 3) {
        context.drawImage(film.images[entries[at]], entries[at + 1], entries[at + 2]);
      }
    }
    scrub.value = position;
    scrub.setAttribute("aria-valuetext", where());
    element("tick").textContent = `${tick()} / ${play[4]}`;
    film.scores.forEach((scores, player) => {
      const used = position ? film.used[player][position - 1] : null;
      const action = position ? film.actions[player][position - 1] : "";
      const ended = position === film.ticks;
      const cells = element("players").tBodies[0].rows[player].cells;
      cells[1].textContent = toldNumber(scores.values[lastUntil(scores.ticks, position)]);
      cells[2].textContent = action || "–";
      cells[3].textContent = used === null ? "–" : `${list.unit === "ms" ? used.toFixed(1) : used} ${list.unit}`;
      cells[4].firstChild.style.visibility = ended ? "visible" : "hidden";
    });
  }

  /** The state in words for screen readers; not while it plays, which is too fast to be read aloud. */
  function tell() {
    const scores = film.scores.map((one) => toldNumber(one.values[lastUntil(one.ticks, position)]));
    canvas.setAttribute("aria-label", `${list.games[play[1]]}, level ${play[2]}, ${where()}`);
    let text = `T${where().slice(1)}, score ${scores.join(" to ")}.`;
    if (position === film.ticks) {
      for (const [controller, outcome, , cause, details] of play.slice(5)) {
        text += ` ${list.controllers[controller]}: ${list.outcomes[outcome]}.`;
        if (cause) text += ` ${cause}: ${details.trim().split("\n").pop()}`;
      }
      if (film.error) text += ` The game failed: ${film.error}`;
    }
    element("status").textContent = text;
  }

  function svg(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function drawUsage() {
    const limit = list.limits[0];
    const most = Math.max(limit, ...film.used.map((used) => used.reduce((high, one) => Math.max(high, one || 0), 0))) * 1.1;
    const usage = element("usage");
    usage.setAttribute("viewBox", `0 0 ${Math.max(1, film.ticks)} ${most}`);
    const lines = film.used.map((used, player) => svg("polyline", {
      class: `player-${player}${film.used.length > 1 ? " of-two" : ""}`,
      points: used.map((one, tick) => (one === null ? "" : `${tick + 1},${most - one}`)).filter(Boolean).join(" "),
    }));
    usage.replaceChildren(svg("line", { class: "limit", x1: 0, x2: film.ticks, y1: most - limit, y2: most - limit }), ...lines);
  }

  function showFailure(error) {
    element("status").textContent = `This replay cannot be shown: ${error.message}.`;
  }

  // ---------------------------------------------------------------------------------------------- playing

  function start() {
    if (!film) return;
    if (position === film.ticks) show(0);
    began = { time: performance.now(), position };
    element("toggle").setAttribute("aria-label", "pause");
    element("player").classList.add("playing");
    requestAnimationFrame(next);
  }

  function pause() {
    began = null;
    element("toggle").setAttribute("aria-label", "play");
    element("player").classList.remove("playing");
  }

  function next(time) {
    if (!began) return;
    const speed = Number(element("speed").value);
    const due = began.position + Math.floor(Math.max(0, time - began.time) * speed / TICK_MS);
    if (due !== position) show(due);
    if (position === film.ticks) {
      pause();
      tell();
    } else {
      requestAnimationFrame(next);
    }
  }

  function jump(wanted) {
    if (!film) return;
    pause();
    show(wanted);
    tell();
  }

  function toggle() {
    if (!began) return start();
    pause();
    tell();
  }

  function changeSpeed(by) {
    const speed = element("speed");
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
    restart();
  }

  /** Go on from here at the speed that is chosen now. */
  function restart() {
    if (began) began = { time: performance.now(), position };
  }

  // ---------------------------------------------------------------------------------------------- choosing

  function option(value, text) {
    return new Option(text, value);
  }

  function isPlayedBy(row, controller) {
    return row.slice(5).some((player) => player[0] === controller);
  }

  function describe(row) {
    const players = row.slice(5).map(([controller, outcome, score]) => `${list.controllers[controller]} ${list.outcomes[outcome]} (${toldNumber(score)})`);
    return `level ${row[2]}, play ${row[3]}: ${players.join(" – ")}`;
  }

  /** The plays that the other two lists leave. */
  function fillPlays() {
    const game = Number(element("game").value), controller = Number(element("controller").value);
    const left = list.plays.filter((row) => row[1] === game && (controller < 0 || isPlayedBy(row, controller)));
    element("play").replaceChildren(...left.map((row) => option(row[0], describe(row))));
    return left;
  }

  /** Let the lists and the table say which play is shown. */
  function choose(row) {
    element("game").value = row[1];
    const controller = Number(element("controller").value);
    if (controller >= 0 && !isPlayedBy(row, controller)) element("controller").value = -1;
    fillPlays();
    element("play").value = row[0];
    const rows = row.slice(5).map(([controller, outcome]) => {
      const made = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = list.controllers[controller];
      const cells = ["number", "", "number", ""].map((kind) => Object.assign(document.createElement("td"), { className: kind }));
      const chip = document.createElement("span");
      chip.className = `chip ${list.outcomes[outcome].replace(" ", "-")}`;
      chip.textContent = list.outcomes[outcome];
      cells[3].append(chip);
      made.append(name, ...cells);
      return made;
    });
    element("players").tBodies[0].replaceChildren(...rows);
  }

  /** Lets the table say which of several players a controller is: number, side at the start, picture of the avatar. */
  function introduce(avatar, player) {
    const cells = element("players").tBodies[0].rows[player].cells;
    const words = document.createElement("small");
    words.textContent = `player ${player + 1}`;
    if (avatar) {
      const [number, side] = avatar;
      if (side) words.textContent += `, starts at the ${side}`;
      const image = film.images[number].cloneNode();
      image.className = "avatar";
      image.alt = "";
      cells[0].prepend(image);
    }
    cells[0].append(" ", words);
    cells[3].classList.add("curve", `player-${player}`);
  }

  function follow() {
    const number = /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : list.plays[0][0];
    open(number).catch(showFailure);
  }

  function onKey(event) {
    const target = event.target;
    if (!film || event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLSelectElement) return;
    const isButton = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const keys = {
      " ": isButton ? null : toggle,
      ArrowLeft: () => jump(position - 1),
      ArrowRight: () => jump(position + 1),
      Home: () => jump(0),
      End: () => jump(film.ticks),
      "+": () => changeSpeed(1),
      "-": () => changeSpeed(-1),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  element("toggle").onclick = toggle;
  element("first").onclick = () => jump(0);
  element("back").onclick = () => jump(position - 1);
  element("forward").onclick = () => jump(position + 1);
  element("last").onclick = () => jump(Infinity);
  element("speed").onchange = restart;
  scrub.oninput = () => jump(Number(scrub.value));
  element("choice").onsubmit = (event) => event.preventDefault();
  element("play").onchange = (event) => { location.hash = event.target.value; };
  for (const id of ["game", "controller"]) {
    element(id).onchange = () => {
      const left = fillPlays();
      if (left.length) location.hash = left[0][0];
    };
  }
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", follow);

  return {
    plays(data) {
      list = data;
      element("game").replaceChildren(...data.games.map((name, number) => option(number, name)));
      element("controller").replaceChildren(option(-1, "all"), ...data.controllers.map((name, number) => option(number, name)));
      follow();
    },
    drawings(file, pictures) {
      drawings[file] = pictures;
    },
    film(number, text) {
      arrived[number] = unpack(text);
    },
  };
})();
