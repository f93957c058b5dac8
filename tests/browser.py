"""Headless Chromium, driven over a pipe in its own protocol (Chrome DevTools Protocol), for tests of pages.

Nothing but Chromium itself is needed. Everything that a page reports as an error is kept.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE_S = 60.0

_CONTRAST = """(() => {
    const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parse = (text) => { const found = text.match(/[\\d.]+/g).map(Number); return [found.slice(0, 3), found[3] ?? 1]; };
    const ground = (node) => {
        const [colour, alpha] = parse(getComputedStyle(node).backgroundColor);
        if (alpha === 1 || !node.parentElement) return alpha ? colour : parse(getComputedStyle(document.body).backgroundColor)[0];
        const under = ground(node.parentElement);
        return colour.map((one, at) => alpha * one + (1 - alpha) * under[at]);
    };
    const poor = [];
    for (const node of document.querySelectorAll("main *, nav *, footer *")) {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
        if (!own || node.closest("option") || !node.getClientRects().length || node.closest(".hidden")) continue;
        const [ink] = parse(getComputedStyle(node).color);
        const [one, two] = [light(ink), light(ground(node))];
        const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
        if (ratio < 4.5) poor.push(`${node.tagName} ${node.className} ${node.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
    }
    return poor;
})()"""

_UNLABELLED = """[...document.querySelectorAll("input:not([type=hidden]), select, textarea, button, a")].filter((node) =>
    !(node.labels?.length || node.textContent.trim() || node.getAttribute("aria-label"))).map((node) => node.outerHTML)"""

_NAMELESS = """[...document.querySelectorAll("table.sortable thead th:not(.plain)")].filter((node) =>
    !node.textContent.trim()).map((node) => node.closest("table").caption.textContent)"""

_HEADINGS = """[...document.querySelectorAll("h1, h2, h3, h4")].map((node) => Number(node.tagName[1]))"""


class Browser:
    """A browser with one page; leaving the ``with`` block ends it."""

    def __init__(self) -> None:
        """Start it."""
        assert CHROMIUM is not None
        self.errors: list[str] = []  #: of all pages: exceptions, console errors, files that could not be loaded
        self._profile = tempfile.mkdtemp(prefix="vgdl-browser-")
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        command = [CHROMIUM, *_FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        # Chromium reads its commands from descriptor 3 and answers on 4.
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "chromium", *command],
            pass_fds=[theirs_in, theirs_out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._out, self._in = ours_out, os.fdopen(ours_in, "rb")
        self._number = 0
        self._width = 0
        self._buffer = b""
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        self._in.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its result."""
        answer = self._answer(method, **parameters)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def _answer(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command and wait for its result or its error."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                return answer
            self._note(answer)

    def open(self, page: Path, fragment: str = "") -> None:
        """Load a page from its file."""
        self.go(page.absolute().as_uri() + fragment)

    def go(self, url: str) -> None:
        """Load a page from anywhere."""
        self.send("Page.navigate", url="about:blank")  # so that another fragment of the same page loads it anew
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def fill(self, selector: str, text: str) -> None:
        """Type into a field of a form."""
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def choose_file(self, selector: str, file: Path) -> None:
        """Choose a file in a form."""
        found = self.send("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self.send("DOM.setFileInputFiles", files=[str(file)], objectId=found["result"]["objectId"])

    def hold(self, key: str) -> None:
        """Press a key and keep it down until ``let_go``."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key)

    def let_go(self, key: str) -> None:
        """Release a key."""
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Wait until a condition holds in the page, which may be replaced by another one meanwhile."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self._answer("Runtime.evaluate", expression=condition, returnByValue=True, awaitPromise=True)
            result = answer.get("result", {})
            if "exceptionDetails" not in result and result.get("result", {}).get("value"):
                return
            assert time.monotonic() < deadline, f"never: {condition}; last answer: {answer}; errors: {self.errors}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press a key, as a user does."""
        code = {" ": "Space"}.get(key, key)
        number = {" ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9, "Enter": 13}.get(key, 0)
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        facts = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        self.send("Input.dispatchKeyEvent", type="keyDown", **facts, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **facts)

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Give the window a size, and the system a colour scheme."""
        self._width = width
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def flaws(self) -> list[str]:
        """What people may not be able to read or reach on the page, at the present size and in the present colours."""
        width = self.value("document.documentElement.scrollWidth")
        found = [f"it is {width} pixels wide, in a window of {self._width}"] if width > self._width else []
        found += [f"poor contrast: {one}" for one in self.value(_CONTRAST)]
        found += [f"without a name: {one}" for one in self.value(_UNLABELLED)]
        found += [f"a column without a heading in {one}" for one in self.value(_NAMELESS)]
        levels = self.value(_HEADINGS)
        if levels[:1] != [1] or any(after - before > 1 for before, after in pairwise(levels)):
            found.append(f"levels of headings: {levels}")
        return found

    def screenshot(self, file: Path) -> None:
        """Write a picture of the whole page."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._in.fileno(), 1 << 16)
            assert chunk, "Chromium has ended"
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        facts = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(facts["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if facts["type"] in ("error", "warning", "assert"):
                self.errors.append(json.dumps(facts["args"]))
            case "Log.entryAdded" if facts["entry"]["level"] in ("error", "warning"):
                self.errors.append(f"{facts['entry']['text']} ({facts['entry'].get('url', '')})")
