"use strict";

/* The player of games.
 *
 * Data are scripts that call othello.games (the list) and othello.game (one game), since a page that is opened as a file
 * cannot fetch others. Boards are strings of codes, row by row: 0 empty, 1 black, 2 white, 3 blocked.
 */
const othello = (() => {
  const MOVE_MS = 800; // at speed 1
  const SVG = "http://www.w3.org/2000/svg";
  const element = (id) => document.getElementById(id);
  const scrub = element("scrub");

  let list = null; // what othello.games was given
  let game = null; // the game that is shown
  let at = 0; // moves made before what is shown
  let timer = null; // null while it is paused

  // ---------------------------------------------------------------------------------------------- data

  function load(number) {
    const script = document.createElement("script");
    script.src = `games/${number}.js`;
    script.onload = () => script.remove();
    script.onerror = () => { element("told").textContent = `game ${number} is missing`; };
    document.head.append(script);
  }

  function open(number) {
    pause();
    const row = list.games.find((one) => one[0] === number);
    if (!row) {
      element("told").textContent = `there is no game ${number} to watch`;
      return;
    }
    element("watch").setAttribute("aria-busy", "true");
    choose(row);
    load(number);
  }

  function arrived(number, facts) {
    const spent = [0, 0];
    game = { ...facts, number };
    game.boards = [facts.start, ...facts.moves.map((move) => move[6])];
    game.clocks = [[0, 0]].concat(facts.moves.map(([player, , , , ms]) => {
      spent[player - 1] += ms;
      return [...spent];
    }));
    const names = [facts.metadata.blackStrategy, facts.metadata.whiteStrategy];
    names.forEach((name, side) => { element(`side-${side + 1}`).querySelector(".name").textContent = name; });
    scrub.max = facts.moves.length;
    listMoves();
    drawCounts();
    show(Number(location.hash.split("/")[1]) || 0);
    element("watch").removeAttribute("aria-busy");
  }

  // ---------------------------------------------------------------------------------------------- what is seen

  const notation = (row, column) => `${String.fromCharCode(97 + column)}${row + 1}`;
  const count = (board, code) => board.split(code).length - 1;

  function add(parent, name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  function drawBoard() {
    const svg = element("board");
    const { size } = game;
    const board = game.boards[at];
    const before = at ? game.boards[at - 1] : board;
    const move = at ? game.moves[at - 1] : null;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `-4 -4 ${10 * size + 5} ${10 * size + 5}`);
    add(svg, "rect", { class: "felt", x: -4, y: -4, width: 10 * size + 5, height: 10 * size + 5 });
    for (let row = 0; row < size; row++) {
      add(svg, "text", { class: "coordinate", x: -2.2, y: 10 * row + 6, "text-anchor": "middle" }).textContent = row + 1;
      add(svg, "text", { class: "coordinate", x: 10 * row + 5, y: -1.2, "text-anchor": "middle" }).textContent = String.fromCharCode(97 + row);
      for (let column = 0; column < size; column++) drawCell(svg, board, before, move, row, column);
    }
    svg.setAttribute("aria-label", `the board after ${at} moves: black ${count(board, "1")}, white ${count(board, "2")}`);
  }

  function drawCell(svg, board, before, move, row, column) {
    const [x, y] = [10 * column, 10 * row];
    const place = row * game.size + column;
    const code = board[place];
    add(svg, "rect", { class: code === "3" ? "wall" : "cell", x, y, width: 10, height: 10 });
    if (code === "3") {
      add(svg, "path", { class: "brick", d: `M${x} ${y + 3.3}h10m-10 3.4h10m-5 -6.7v3.3m-2.5 0v3.4m5 0v-3.4m-2.5 3.4v3.3` });
    } else if (code !== "0") {
      add(svg, "circle", { class: code === "1" ? "black" : "white", cx: x + 5, cy: y + 5, r: 4.1 });
      if (move && before[place] !== code && before[place] !== "0") {
        add(svg, "circle", { class: "captured", cx: x + 5, cy: y + 5, r: 4.1 });
      }
    }
    if (move && move[1] === row && move[2] === column) {
      add(svg, "circle", { class: "last", cx: x + 5, cy: y + 5, r: 1.6 });
    }
  }

  function drawCounts() {
    const svg = element("counts");
    const last = Math.max(game.boards.length - 1, 1);
    const most = game.size * game.size - count(game.start, "3");
    svg.replaceChildren();
    svg.setAttribute("viewBox", "0 0 1 1");
    for (const code of ["1", "2"]) {
      const points = game.boards.map((board, number) => `${number / last},${1 - count(board, code) / most}`);
      add(svg, "polyline", { class: code === "2" ? "of-white" : "of-black", points: points.join(" ") });
    }
    add(svg, "line", { id: "cursor", x1: 0, x2: 0, y1: 0, y2: 1 });
  }

  function listMoves() {
    element("moves").replaceChildren(...game.moves.map(([player, row, column, captured, , fallback], number) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      item.className = `by-${player}`;
      button.type = "button";
      button.textContent = `${number + 1}. ${notation(row, column)}${fallback ? " ?" : ""}`;
      button.title = `${player === 1 ? "black" : "white"}, ${captured} captured${fallback ? ", chosen by the referee" : ""}`;
      button.onclick = () => { pause(); show(number + 1); };
      item.append(button);
      return item;
    }));
  }

  function told() {
    if (at === 0) return "the start";
    const [player, row, column, captured, ms, fallback] = game.moves[at - 1];
    const colour = player === 1 ? "Black" : "White";
    const how = fallback ? ", chosen at random by the referee" : "";
    const text = `${colour} ${notation(row, column)}, ${captured} captured, ${(ms / 1000).toFixed(2)} s${how}`;
    if (at < game.moves.length) {
      return game.moves[at][0] === player ? `${text}; ${colour.toLowerCase()} moves again` : text;
    }
    return `${text}. ${result()}`;
  }

  function result() {
    const { winner, forfeit, forfeitCause, blackScore, whiteScore } = game.metadata;
    const end = winner ? `${winner === 1 ? "Black" : "White"} wins` : "A tie";
    const why = forfeit ? `, ${forfeit === 1 ? "black" : "white"} forfeits (${forfeitCause})` : "";
    return `${end}, ${blackScore}–${whiteScore}${why}`;
  }

  function show(moves) {
    at = Math.max(0, Math.min(moves, game.moves.length));
    scrub.value = at;
    drawBoard();
    const board = game.boards[at];
    [1, 2].forEach((player) => {
      const side = element(`side-${player}`);
      const isEnd = at === game.moves.length;
      const ms = isEnd ? game.used[player - 1] : game.clocks[at][player - 1];
      side.querySelector(".pieces").textContent = count(board, String(player));
      side.querySelector(".time").textContent = `${(ms / 1000).toFixed(2)} / ${list.limit / 1000} s`;
      side.classList.toggle("moved", at > 0 && game.moves[at - 1][0] === player);
    });
    const cursor = element("cursor");
    const x = at / Math.max(game.moves.length, 1);
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    element("at").textContent = `${at} / ${game.moves.length}`;
    element("told").textContent = game.moves.length ? told() : result();
    [...element("moves").children].forEach((item, number) => {
      const button = item.firstChild;
      if (number === at - 1) {
        button.setAttribute("aria-current", "true");
        const box = element("moves");
        box.scrollTop = item.offsetTop - box.offsetTop - box.clientHeight / 2;
      } else {
        button.removeAttribute("aria-current");
      }
    });
  }

  // ---------------------------------------------------------------------------------------------- playing

  function pause() {
    clearInterval(timer);
    timer = null;
    element("watch").classList.remove("playing");
    element("toggle").setAttribute("aria-label", "play");
  }

  function play() {
    if (!game) return;
    if (at === game.moves.length) show(0);
    element("watch").classList.add("playing");
    element("toggle").setAttribute("aria-label", "pause");
    timer = setInterval(() => {
      show(at + 1);
      if (at === game.moves.length) pause();
    }, MOVE_MS / Number(element("speed").value));
  }

  const toggle = () => (timer === null ? play() : pause());

  function step(by) {
    pause();
    if (game) show(at + by);
  }

  function faster(by) {
    const speed = element("speed");
    speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
    speed.onchange();
  }

  // ---------------------------------------------------------------------------------------------- choosing and saving

  function option(value, text) {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = text;
    return made;
  }

  function choose(row) {
    element("stage").value = row[1];
    const games = list.games.filter((one) => one[1] === row[1]);
    element("game").replaceChildren(...games.map(([number, , black, white, blackScore, whiteScore]) =>
      option(number, `${black} – ${white}  ${blackScore}–${whiteScore}`)));
    element("game").value = row[0];
  }

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  /** The game's entry in a JSON log. */
  function entry() {
    const rows = (board) => Array.from({ length: game.size }, (_, row) =>
      [...board.slice(row * game.size, (row + 1) * game.size)].map(Number));
    const made = {
      metadata: game.metadata,
      initialBoard: rows(game.start),
      moves: game.moves.map(([player, row, col, capturedCount, timeSpent, fallback, board]) => ({
        player, position: { row, col }, capturedCount, timeSpent, boardAfter: rows(board), ...(fallback ? { fallback: true } : {}),
      })),
    };
    return game.analysis ? { ...made, analysisData: game.analysis } : made;
  }

  const KEYS = {
    " ": toggle,
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: () => step(-Infinity),
    End: () => step(Infinity),
    "+": () => faster(1),
    "-": () => faster(-1),
  };

  function begin() {
    element("first").onclick = () => step(-Infinity);
    element("back").onclick = () => step(-1);
    element("toggle").onclick = toggle;
    element("forward").onclick = () => step(1);
    element("last").onclick = () => step(Infinity);
    element("speed").onchange = () => { if (timer !== null) { pause(); play(); } };
    element("save-json").onclick = () => save(`game-${game.number}.json`, "application/json", JSON.stringify([entry()]));
    element("save-text").onclick = () => save(`game-${game.number}.log`, "text/plain", game.text);
    element("stage").onchange = () => go(list.games.find((one) => one[1] === Number(element("stage").value))[0]);
    element("game").onchange = () => go(Number(element("game").value));
    scrub.oninput = () => { pause(); show(Number(scrub.value)); };
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("select, input, button") && event.key !== "Home" && event.key !== "End") return;
      if (KEYS[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        KEYS[event.key]();
      }
    });
    window.addEventListener("hashchange", () => open(wanted()));
  }

  const go = (number) => { location.hash = number; };
  /** The game of the address, which ends in #GAME or #GAME/MOVE. */
  const wanted = () => {
    const number = parseInt(location.hash.slice(1), 10);
    return Number.isNaN(number) ? list.games[0][0] : number;
  };

  return {
    games(facts) {
      list = facts;
      const played = Object.entries(facts.stages).filter(([stage]) => facts.games.some((one) => one[1] === Number(stage)));
      element("stage").replaceChildren(...played.map(([stage, title]) => option(stage, title)));
      begin();
      open(wanted());
    },
    game(number, facts) {
      if (Number(element("game").value) === number) arrived(number, facts);
    },
  };
})();
