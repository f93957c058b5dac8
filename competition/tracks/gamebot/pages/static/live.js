"use strict";

/* A match with a site: the site has the rules and the clock, sends what this seat sees, and takes the number of a move. */
(() => {
  const element = (id) => document.getElementById(id);
  const games = JSON.parse(element("setup").dataset.games);
  let socket = null, ticking = 0, table = null;

  const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

  function offerSeats() {
    element("seat").replaceChildren(...games[element("game").value].seats.map((seat, at) => new Option(seat, String(at))));
  }

  function choose(turn, move) {
    if (!socket) return;
    socket.send(JSON.stringify({ turn, move }));
    element("moves").replaceChildren();
  }

  function result(news) {
    const [own, other] = news.values;
    if (news.forfeited === table.you) return "Your time is up: you lose.";
    if (news.unit === "values") return `The end: you ${own}, the other player ${other}.`;
    return own > 0 ? "You win." : own < 0 ? "You lose." : "A draw.";
  }

  function show(news) {
    const status = element("status");
    if (news.problem) { status.textContent = news.problem; return; }
    if (news.seats) { table = news; return; }
    element("board").innerHTML = news.drawing; /* made by the site's own program, with its text escaped */
    element("text").textContent = news.text;
    element("log").replaceChildren(...news.played.map(([player, move]) => {
      const line = document.createElement("li");
      line.textContent = `${table.seats[player]}${player === table.you ? " (you)" : ""}: ${move}`;
      return line;
    }));
    element("log").scrollTop = element("log").scrollHeight;
    clearInterval(ticking);
    element("moves").replaceChildren();
    if (news.over) { status.textContent = result(news); return; }
    if (!news.yours) { status.textContent = "The other player thinks …"; return; }
    status.textContent = `Your move, as ${table.seats[table.you]}`;
    element("moves").append(...news.moves.map((move, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = move;
      button.onclick = () => choose(news.turn, at);
      return button;
    }));
    element("moves").firstChild.focus({ preventScroll: true });
    const ends = Date.now() + news.left;
    const tick = () => { element("time").textContent = `Time left: ${clock(Math.max(0, ends - Date.now()))}`; };
    tick();
    ticking = setInterval(tick, 500);
  }

  function begin() {
    if (socket) { socket.onclose = null; socket.close(); }
    clearInterval(ticking);
    element("status").textContent = "Connecting …";
    element("moves").replaceChildren();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const opened = new WebSocket(`${scheme}//${location.host}/tracks/gamebot/socket`);
    let over = false;
    opened.onopen = () => opened.send(JSON.stringify({
      game: element("game").value, opponent: element("opponent").value, seat: Number(element("seat").value),
    }));
    opened.onmessage = (event) => {
      const news = JSON.parse(event.data);
      over ||= Boolean(news.over || news.problem);
      show(news);
    };
    opened.onclose = () => {
      if (!over) element("status").textContent = "The connection was closed, or there are too many games at once.";
      clearInterval(ticking);
      element("moves").replaceChildren();
      socket = null;
    };
    socket = opened;
  }

  element("setup").addEventListener("submit", (event) => event.preventDefault());
  element("game").onchange = offerSeats;
  element("start").onclick = begin;
  offerSeats();
})();
