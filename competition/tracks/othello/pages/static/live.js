"use strict";

/* A game of Othello with a site: the site has the rules, sends positions with legal moves, and takes moves. */
(() => {
  const element = (id) => document.getElementById(id);
  const setup = element("setup"), board = element("board"), stages = JSON.parse(setup.dataset.stages);
  const FLAGS = ["ignoreOcclusion", "fewerPiecesContinue", "fewestWins"];
  const WORDS = ["empty", "black", "white", "wall"];
  let socket = null, rows = [], editing = false, turn = null, ticking = 0;

  const nameOf = (row, column) => String.fromCharCode(97 + column) + (row + 1);
  const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

  function note(words) {
    const line = document.createElement("li");
    line.textContent = words;
    element("log").append(line);
    element("log").scrollTop = element("log").scrollHeight;
  }

  function draw(news = {}) {
    const size = rows.length;
    if (board.children.length !== size * size) {
      board.replaceChildren(...Array.from({ length: size * size }, (_, at) => {
        const cell = document.createElement("button");
        cell.type = "button";
        cell.tabIndex = at ? -1 : 0;
        cell.append(document.createElement("i"));
        cell.onclick = () => press(Math.floor(at / size), at % size);
        return cell;
      }));
      board.style.gridTemplateColumns = `repeat(${size}, minmax(0, 1fr))`;
    }
    const legal = new Map((news.yours ? news.moves : []).map(([row, column, count]) => [row * size + column, count]));
    const turned = new Set((news.turned || []).map(([row, column]) => row * size + column));
    [...board.children].forEach((cell, at) => {
      const row = Math.floor(at / size), column = at % size, code = Number(rows[row][column]);
      const shown = element("hints").checked && legal.has(at);
      cell.className = `p${code}${turned.has(at) ? " turned" : ""}${shown ? " legal" : ""}`;
      if (news.last && news.last[1] === row && news.last[2] === column) cell.classList.add("last");
      cell.firstChild.textContent = "";
      if (shown) cell.firstChild.textContent = legal.get(at);
      cell.setAttribute("aria-label", `${nameOf(row, column)}, ${WORDS[code]}${shown ? `, turns ${legal.get(at)}` : ""}`);
    });
  }

  function press(row, column) {
    if (editing) {
      const line = [...rows[row]];
      line[column] = String((Number(line[column]) + 1) % 4);
      rows[row] = line.join("");
      draw();
    } else if (socket && turn && turn.yours && turn.moves.some(([r, c]) => r === row && c === column)) {
      socket.send(JSON.stringify({ cell: [row, column] }));
      turn = null;
    }
  }

  function chosen() {
    const name = element("stage").value;
    if (name !== "own") return name;
    const cells = (code) => rows.flatMap((line, r) => [...line].flatMap((one, c) => (one === code ? [{ r, c }] : [])));
    const flags = Object.fromEntries(FLAGS.map((flag) => [flag, element(flag).checked]));
    return { name: "Your own", boardSize: rows.length, initialBlocked: cells("3"), initialPlayer1: cells("1"), initialPlayer2: cells("2"), ...flags };
  }

  function preview() {
    const name = element("stage").value;
    if (name === "own") return edit();
    editing = false;
    element("editor").hidden = true;
    load(stages[name].facts);
  }

  function load(facts) {
    const lines = Array.from({ length: facts.boardSize }, () => Array(facts.boardSize).fill("0"));
    [["3", "initialBlocked"], ["1", "initialPlayer1"], ["2", "initialPlayer2"]].forEach(([code, key]) => {
      for (const { r, c } of facts[key]) lines[r][c] = code;
    });
    rows = lines.map((line) => line.join(""));
    for (const flag of FLAGS) element(flag).checked = facts[flag];
    element("size").value = rows.length;
    draw();
  }

  function edit() {
    if (socket) socket.close();
    element("stage").value = "own";
    editing = true;
    element("editor").hidden = false;
    draw();
  }

  function resize() {
    const size = Number(element("size").value);
    rows = Array.from({ length: size }, (_, r) => (rows[r] || "").slice(0, size).padEnd(size, "0"));
    draw();
  }

  function show(news) {
    const status = element("status");
    if (news.problem && !news.analysed) { status.textContent = news.problem; return; }
    if (news.analysing) { status.textContent = `${news.analysing} analyses the stage …`; return; }
    if (news.analysed) {
      note(`${news.analysed} analysed for ${news.ms} ms${news.problem ? `, without a strategy (${news.problem}): random moves` : ""}`);
      for (const [key, value] of Object.entries(news.told)) note(`${news.analysed}: ${key} = ${JSON.stringify(value)}`);
      return;
    }
    rows = news.board;
    news.pieces.forEach((count, at) => { element(`pieces-${at + 1}`).textContent = count; });
    if (news.last) {
      const [player, row, column, captured] = news.last;
      note(`${element(`name-${player}`).textContent}: ${nameOf(row, column)}, turns ${captured}`);
    }
    clearInterval(ticking);
    if (news.over) {
      turn = null;
      const winner = news.winner ? `${element(`name-${news.winner}`).textContent} (${WORDS[news.winner]}) wins` : "a tie";
      status.textContent = `${winner}, ${news.scores[0]} : ${news.scores[1]}${news.forfeit ? ` by forfeit (${news.forfeit})` : ""}`;
      const link = document.createElement("a");
      link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(news.log)}`;
      link.download = "game.log";
      link.textContent = "Save the log";
      element("save").replaceChildren(link);
    } else {
      turn = news;
      status.textContent = news.yours ? `Your move: ${news.moves.length} ${news.moves.length === 1 ? "is" : "are"} legal` : `${element(`name-${news.player}`).textContent} thinks …`;
      const ends = Date.now() + news.left, time = element(`time-${news.player}`);
      const tick = () => { time.textContent = clock(Math.max(0, news.yours ? ends - Date.now() : news.left)); };
      tick();
      ticking = setInterval(tick, 500);
    }
    draw(news);
  }

  function begin() {
    if (socket) { socket.onclose = null; socket.close(); }
    clearInterval(ticking);
    const asked = { stage: chosen(), black: element("black").value, white: element("white").value };
    editing = false;
    element("editor").hidden = true;
    element("log").replaceChildren();
    element("save").replaceChildren();
    element("name-1").textContent = asked.black;
    element("name-2").textContent = asked.white;
    element("status").textContent = "Connecting …";
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const opened = new WebSocket(`${scheme}//${location.host}/tracks/othello/socket`);
    let over = false;
    opened.onopen = () => opened.send(JSON.stringify(asked));
    opened.onmessage = (event) => {
      const news = JSON.parse(event.data);
      over ||= Boolean(news.over || (news.problem && !news.analysed));
      show(news);
    };
    opened.onclose = () => {
      if (!over) element("status").textContent = "The connection was closed, or there are too many games at once.";
      clearInterval(ticking);
      socket = turn = null;
    };
    socket = opened;
    board.children[0].focus({ preventScroll: true });
  }

  board.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -rows.length, ArrowDown: rows.length };
    const at = [...board.children].indexOf(document.activeElement), to = at + steps[event.key];
    if (!(event.key in steps) || at < 0) return;
    event.preventDefault();
    const leaves = Math.abs(steps[event.key]) === 1 && Math.floor(to / rows.length) !== Math.floor(at / rows.length);
    if (!board.children[to] || leaves) return;
    board.children[at].tabIndex = -1;
    board.children[to].tabIndex = 0;
    board.children[to].focus();
  });
  setup.addEventListener("submit", (event) => event.preventDefault());
  element("start").onclick = begin;
  element("edit").onclick = edit;
  element("stage").onchange = preview;
  element("size").onchange = resize;
  element("hints").onchange = () => draw(turn || {});
  preview();
})();
