"""A sluice with a private PostgreSQL, which can be stopped and started again, and a small fleet."""

import datetime
import math
import os
import random
import threading
import time

from programs import BINARY, Program, ask, free_port

import json


class Server:
    KEY = "device-key"
    APP_KEY = "operator's key & more"
    DEVICES = 40

    def __init__(self, directory):
        directory.mkdir()
        self.directory = directory
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.program = None
        self.start()

    def start(self):
        self.program = Program(
            [BINARY, "serve"], self.directory / "log",
            {"SLUICE_PORT": str(self.port), "SLUICE_DATA_DIR": str(self.directory / "data"),
             "INGEST_API_KEY": self.KEY, "SLUICE_APP_KEYS": self.APP_KEY,
             "HOME": str(self.directory), "PATH": os.environ["PATH"]})
        self.program.until(
            lambda: ask(self.url + "/health")[0] == 200, "healthy", seconds=120)

    def stop(self):
        """How long it took, in seconds."""
        began = time.monotonic()
        assert self.program.end() == 0, self.program.text
        return time.monotonic() - began

    def ingest(self, device, readings):
        body = json.dumps({"metadata": {"device_id": device}, "data": readings})
        status, answer, _ = ask(
            self.url + "/ingest", body.encode(),
            {"X-API-Key": self.KEY, "Content-Type": "application/json"})
        assert status == 200, answer
        return json.loads(answer)

    def batch(self, number, now):
        """Where a device of the fleet is by now, and how its heart beats; now and then a fault."""
        place = random.Random(number)
        latitude, longitude = place.gauss(52.52, 0.05), place.gauss(13.4, 0.08)
        turn = now.timestamp() / 60 + number
        gps = {"type": "gps", "t": now.isoformat(), "acc": 4 + number % 30,
               "lat": latitude + 0.002 * math.sin(turn), "lon": longitude + 0.003 * math.cos(turn)}
        vitals = [
            {"type": "vital", "code": 1, "val": 70 + place.random(),
             "t": (now - datetime.timedelta(milliseconds=10 * step)).isoformat()}
            for step in range(20)]
        faulty = [{"type": "gps", "t": now.isoformat(), "lat": 91, "lon": 0}] if number % 7 == 0 else []
        late = [{"type": "noise", "t": now.isoformat()}] if number % 13 == 0 else []
        return [gps, *vitals, *faulty, *late]


class Load:
    """A fleet that sends as long as the block runs."""

    def __init__(self, server):
        self.server = server
        self.over = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(30)
        if self.failure and not _[0]:
            raise self.failure

    def run(self):
        number = 0
        try:
            while not self.over.is_set():
                number = (number + 1) % self.server.DEVICES
                now = datetime.datetime.now(datetime.timezone.utc)
                self.server.ingest(f"watch-{number:02}", self.server.batch(number, now))
                time.sleep(0.01)
        except Exception as failure:
            self.failure = failure
