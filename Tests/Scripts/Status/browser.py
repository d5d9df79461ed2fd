"""Headless Chromium, controlled over its DevTools protocol."""

import base64
import contextlib
import json
import shutil
import subprocess
import time
import urllib.request

import websockets.sync.client

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]


def program():
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def running(directory):
    """The browser, with its own profile in that directory."""
    with open(directory / "browser.log", "wb") as log:
        process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking", "--mute-audio",
             "--remote-debugging-port=0", f"--user-data-dir={directory / 'profile'}",
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{_port(directory, process)}"
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _port(directory, process):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, IndexError, ValueError):
            return int((directory / "profile/DevToolsActivePort").read_text().split()[0])
        time.sleep(0.1)
    raise AssertionError("no browser: " + (directory / "browser.log").read_text()[-2000:])


class Page:
    """One page, and all messages of its console."""

    def __init__(self, browser):
        request = urllib.request.Request(browser + "/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=30) as answer:
            target = json.load(answer)
        self.stack = contextlib.ExitStack()
        self.connection = self.stack.enter_context(websockets.sync.client.connect(
            target["webSocketDebuggerUrl"], max_size=None, open_timeout=30))
        self.number = 0
        self.complaints = []
        self.changes = []
        for domain in ["Page", "Runtime", "Log", "Audits", "Network"]:
            self.tell(domain + ".enable")
        self.tell("Network.clearBrowserCookies")

    def close(self):
        with contextlib.suppress(Exception):
            self.tell("Page.close")
        self.stack.close()

    def tell(self, method, **parameters):
        """Returns the result of one command; records the messages that arrive meanwhile."""
        self.number += 1
        number = self.number
        self.connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.connection.recv(timeout=60))
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self._note(message)

    def _note(self, message):
        facts = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(facts["exceptionDetails"])[:600])
            case "Runtime.consoleAPICalled" if facts["type"] in ("error", "warning", "assert"):
                self.complaints.append(json.dumps(facts["args"])[:600])
            case "Log.entryAdded" if facts["entry"]["level"] in ("error", "warning"):
                self.complaints.append(
                    f"{facts['entry']['text']} {facts['entry'].get('url', '')}")
            case "Audits.issueAdded" if "ContentSecurityPolicy" in facts["issue"]["code"]:
                self.complaints.append(json.dumps(facts["issue"])[:600])

    def take_complaints(self):
        self.run("1")
        said, self.complaints = self.complaints, []
        return said

    def run(self, script):
        """Returns the value of an expression in the page; promises are awaited."""
        result = self.tell(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, f"{script}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def until(self, script, what=None, seconds=120):
        """Waits until the expression is true in the page, also across page loads."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(AssertionError):
                if self.run(f"!!({script})"):
                    return
            time.sleep(0.1)
        raise AssertionError(f"{what or script}: not in {seconds} s; {self.complaints}")

    def go(self, url):
        self.tell("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def look(self, width, height, scheme="light", scale=1, mobile=False):
        """Sets the size of the window and the preferred colours."""
        self.tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=scale, mobile=mobile)
        self.tell("Emulation.setTouchEmulationEnabled", enabled=mobile)
        self.tell(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shoot(self, file):
        """Takes a picture of the whole page, whatever its length."""
        size = self.tell("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        picture = self.tell(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(picture["data"]))

    def type(self, text):
        self.tell("Input.insertText", text=text)

    def press(self, key, code=0, text=None):
        for kind in ["keyDown", "keyUp"]:
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.tell(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=code, **extra)

    def point(self, x, y):
        self.tell("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
