"""A headless Chromium, controlled through pipes by its debugging protocol."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

fcntl = pytest.importorskip("fcntl", reason="the browser is controlled through POSIX pipes")

_FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--no-default-browser-check",
    "--no-first-run",
    "--remote-debugging-pipe",
)

# Chromium reads commands from file descriptor 3 and writes answers to 4.
_LAUNCHER = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


@contextmanager
def opened(profile):
    """Start a browser with an empty profile in a folder; skip the test if none is installed."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip(f"none of {', '.join(names)} is on the path")
    flags = [*_FLAGS, f"--user-data-dir={profile}"]
    flags += ["--no-sandbox"] if os.geteuid() == 0 else []
    asked, said, heard, answered = _high(*os.pipe(), *os.pipe())
    process = subprocess.Popen(
        [sys.executable, "-c", _LAUNCHER, str(asked), str(answered), program, *flags],
        pass_fds=(asked, answered),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(asked)
    os.close(answered)
    browser = Browser(said, heard)
    try:
        try:
            browser.call("Browser.getVersion", seconds=30)
        except (OSError, TimeoutError) as error:
            pytest.skip(f"{program} does not start here: {error}")
        yield browser
    finally:
        os.close(said)  # the browser exits when its input is closed
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(heard)


def _high(*files):
    """Duplicate file descriptors to numbers above 4, and close the originals."""
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 20) for file in files]
    for file in files:
        os.close(file)
    return moved


class Browser:
    """Sends commands and waits for the answers; ``events`` collects all messages received."""

    def __init__(self, said, heard):
        self._said, self._heard = said, heard
        self._text = b""
        self._number = 0
        self._session = {}
        self._target = None
        self.events = []

    def call(self, method, seconds=20, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params, **self._session}
        os.write(self._said, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda heard: heard.get("id") == self._number, method, seconds)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def open(self, path, width=1280, height=900, scheme="light", media="screen"):
        """Open a local file in a new tab, close the previous tab, and wait until it is loaded."""
        self._session = {}
        if self._target is not None:
            self.call("Target.closeTarget", targetId=self._target)
        self._target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = {"sessionId": session["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **shape)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self._load("Page.navigate", url=Path(path).absolute().as_uri())

    def reload(self):
        """Open the same file again in the same tab."""
        self._load("Page.reload")

    def _load(self, method, **params):
        self.events.clear()
        self.call(method, **params)
        self._wait(lambda heard: heard.get("method") == "Page.loadEventFired", "load", 20)

    def evaluate(self, script):
        """Return the value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script, seconds=20):
        """Return the value of an expression once it is true, for what scripts do after loading."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def press(self, key, code):
        """Press and release a key, as a user does."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        self.call("Input.dispatchKeyEvent", type="keyDown", **about, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def click(self, x, y):
        """Click at a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            about = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", **about)

    def told(self, *methods):
        """Return the events of the given methods since the page was opened."""
        return [event for event in self.events if event.get("method") in methods]

    def _wait(self, is_it, what, seconds):
        for event in self.events:
            if "method" in event and is_it(event):
                return event
        end = time.monotonic() + seconds
        while True:
            while b"\0" in self._text:
                message, self._text = self._text.split(b"\0", 1)
                heard = json.loads(message)
                self.events.append(heard)
                if is_it(heard):
                    return heard
            if not select.select([self._heard], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no answer to {what} in {seconds} s")
            more = os.read(self._heard, 1 << 20)
            if not more:
                raise ConnectionError("the browser has ended")
            self._text += more
