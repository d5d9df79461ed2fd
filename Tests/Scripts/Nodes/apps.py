"""Apps with sockets that reconnect, and the frames that they received."""

import datetime
import json
import os
import threading
import time
import urllib.error

import websockets.exceptions
import websockets.sync.client
from programs import ask
from sluice import Sluice

BROKEN = (OSError, TimeoutError, websockets.exceptions.WebSocketException)


class Connection:
    """The frames of one socket, and when it was opened and closed."""

    def __init__(self):
        self.opened, self.closed = time.time(), None
        self.frames = []


class App:
    """A thread that keeps a socket to `path` open."""

    def __init__(self, url, path):
        self.url, self.path = url, path
        self.stopping = threading.Event()
        self.connections = []
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        while not self.stopping.is_set():
            try:
                self._connect()
            except BROKEN:
                time.sleep(0.1)

    def _connect(self):
        with websockets.sync.client.connect(
            self.url.replace("http", "ws", 1) + self.path, open_timeout=10,
            additional_headers={"Authorization": f"Bearer {Sluice.APP_KEY}"},
        ) as socket:
            self.connections.append(Connection())
            try:
                while not self.stopping.is_set():
                    self.turn(socket)
            finally:
                self.connections[-1].closed = time.time()

    def turn(self, socket):
        self.hear(socket, 0.2)

    def hear(self, socket, seconds):
        """The next frame, or nothing."""
        try:
            frame = json.loads(socket.recv(timeout=seconds))
        except TimeoutError:
            return None
        self.connections[-1].frames.append(frame)
        return frame

    def stop(self):
        self.stopping.set()
        self.thread.join()


class Capturing(App):
    """Sends one capture after the other, and repeats each until it is acknowledged."""

    def __init__(self, url, user):
        self.user, self.acknowledged = user, []
        self.capture = self._next()
        super().__init__(url, f"/ws/ios/{user}")

    def _next(self):
        return {
            "type": "memory_capture", "id": f"{self.user}-{len(self.acknowledged)}",
            "timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat(),
            "transcription": "Lunch with Ann"}

    def turn(self, socket):
        socket.send(json.dumps(self.capture))
        end = time.monotonic() + 10
        while time.monotonic() < end:
            frame = self.hear(socket, 1) or {}
            if frame.get("type") == "ack" and frame["captureId"] == self.capture["id"]:
                self.acknowledged.append(self.capture["id"])
                self.capture = self._next()
                break
        time.sleep(0.05)


class Eating(App):
    """Logs meals over HTTP, and receives their results over its socket."""

    def __init__(self, url, user):
        self.user, self.logs = user, []
        self.is_full = threading.Event()
        super().__init__(url, f"/ws/meal-logs?user_id={user}")
        self.eater = threading.Thread(target=self._eat)
        self.eater.start()

    def _eat(self):
        while not self.is_full.is_set():
            try:
                status, body, _ = ask(
                    f"{self.url}/api/v1/meal-logs/natural?user_id={self.user}",
                    json.dumps({"raw_input": "two eggs and toast", "meal_type": "lunch"}).encode(),
                    {"Content-Type": "application/json", "Authorization": f"Bearer {Sluice.APP_KEY}"})
            except (OSError, urllib.error.URLError):
                status = None
            if status in (201, 202):
                self.logs.append(json.loads(body)["data"]["id"])
            time.sleep(0.1)

    def stop_eating(self):
        self.is_full.set()
        self.eater.join()

    def stop(self):
        self.stop_eating()
        super().stop()


class Crowd:
    """Some apps of each kind, with a second socket for each user who captures."""

    def __init__(self, url, users=3):
        name = os.urandom(3).hex()
        self.capturing = [Capturing(url, f"{name}-{number}") for number in range(users)]
        self.listening = [App(url, app.path) for app in self.capturing]
        self.eating = [Eating(url, f"eater-{name}-{number}") for number in range(users)]

    @property
    def captures(self):
        return [name for app in self.capturing for name in app.acknowledged]

    @property
    def logs(self):
        return [name for app in self.eating for name in app.logs]

    def stop_sending(self):
        for app in self.capturing:
            app.stop()
        for app in self.eating:
            app.stop_eating()

    def stop(self):
        for app in self.capturing + self.listening + self.eating:
            app.stop()
