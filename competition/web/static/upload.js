"use strict";

/* The form for an upload: files can be dropped on it, their size and kind are checked before anything is sent, and what
 * the site finds wrong is shown without leaving the page. Without this script it is an ordinary form. */
(() => {
  const form = document.getElementById("upload");
  if (!form) return;
  const drop = document.getElementById("drop"), file = document.getElementById("file"), sent = document.getElementById("sent");

  function complain(words) {
    const line = document.createElement("pre");
    line.className = "problem";
    line.setAttribute("role", "alert");
    line.textContent = words;
    document.getElementById("error").replaceChildren(...(words ? [line] : []));
    if (words) line.scrollIntoView({ block: "nearest" });
  }

  function check() {
    const chosen = file.files[0];
    if (!chosen) return "choose a file: a zip, or one file with a program";
    if (chosen.size > Number(form.dataset.limit)) return `${chosen.name} has ${(chosen.size / 1048576).toFixed(1)} MiB; 20 are allowed`;
    if (chosen.size === 0) return `${chosen.name} is empty`;
    const kinds = file.accept.split(",");
    if (!kinds.some((kind) => chosen.name.toLowerCase().endsWith(kind))) return `${chosen.name} does not end in ${kinds.join(" or ")}`;
    return "";
  }

  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    file.files = event.dataTransfer.files;
    complain(check());
  });
  file.addEventListener("change", () => complain(check()));

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wrong = check();
    complain(wrong);
    if (wrong) return;
    const button = form.querySelector("button.button");
    const request = new XMLHttpRequest();
    request.open("POST", location.pathname);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = (progress) => { sent.value = progress.loaded / progress.total; };
    const end = (words) => { button.disabled = false; sent.hidden = true; complain(words); };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { answer = { error: request.responseText.slice(0, 500) }; }
      if (request.status === 200 && answer.entry) location.assign(answer.entry);
      else end(answer.error || `the site answers ${request.status}: load the page again`);
    };
    request.onerror = () => end("the connection was lost; try again");
    button.disabled = true;
    sent.hidden = false;
    request.send(new FormData(form));
  });
})();
