"use strict";

/* The evaluation of an entry as it goes: the page listens to server-sent events until it is done. */
(() => {
  const live = document.getElementById("live");
  if (!live || live.dataset.done === "yes" || !window.EventSource) return;
  const events = new EventSource(live.dataset.events);
  const element = (id) => document.getElementById(id);

  events.addEventListener("log", (event) => {
    const { at, words } = JSON.parse(event.data);
    const line = document.createElement("li");
    const time = document.createElement("time");
    time.textContent = new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
    line.append(time, " " + words);
    element("log").append(line);
    element("log").scrollTop = element("log").scrollHeight;
  });

  events.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    element("state").firstElementChild.textContent = state.state;
    element("message").textContent = state.message;
    element("progress").max = state.total || 1;
    element("progress").value = state.plays;
    element("place").textContent = state.place || `${state.plays} of ${state.total} plays`;
    if (state.done) {
      events.close();
      location.reload(); // the results, with their replays
    }
  });
})();
