"""The server whose page is tested, and a small fleet."""

import datetime
import math
import random
import threading
import time

from sluice import Sluice


class Server(Sluice):
    # With characters that a form must escape.
    APP_KEY = "operator's key & more"
    DEVICES = 40

    def send(self, device, readings):
        status, answer = self.ingest({"metadata": {"device_id": device}, "data": readings})
        assert status == 200, answer

    def batch(self, number, now):
        """The present position and heart rate of one of the devices; sometimes with a fault."""
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
    """A fleet that sends while the block runs."""

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
                self.server.send(f"watch-{number:02}", self.server.batch(number, now))
                time.sleep(0.01)
        except Exception as failure:
            self.failure = failure
