"""Devices that send all the time, and the readings that must be stored."""

import collections
import datetime
import json
import os
import threading
import time
import urllib.error

from programs import ask, until

START = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)


class Fleet:
    """Each device sends its readings in order from its own thread, and repeats a batch until it
    is acknowledged. Some batches are also repeated without need."""

    READINGS = 20

    def __init__(self, url, key, devices=6):
        self.url, self.key = url, key
        # Ignores other fleets in the same database.
        self.name = os.urandom(4).hex()
        self.lock = threading.Lock()
        self.sent = collections.Counter()
        # Device and number of each reading, with the status that acknowledged it first.
        self.acknowledged = {}
        self.statuses = collections.Counter()
        self.stopping = threading.Event()
        self.threads = [
            threading.Thread(target=self._run, args=(device,)) for device in range(devices)]
        for thread in self.threads:
            thread.start()

    def _run(self, device):
        first = 0
        while not self.stopping.is_set():
            # Every fourth batch overlaps the one before it.
            begin = max(0, first - self.READINGS // 2) if first // self.READINGS % 4 == 3 else first
            end = first + self.READINGS
            with self.lock:
                self.sent[device] = max(self.sent[device], end)
            status = self._send(device, range(begin, end))
            with self.lock:
                self.statuses[status] += 1
                if status in (200, 202):
                    for number in range(begin, end):
                        self.acknowledged.setdefault((device, number), status)
            if status in (200, 202):
                first = end
            else:
                time.sleep(0.2)
            time.sleep(0.05)

    def _send(self, device, numbers):
        data = [
            {"t": (START + datetime.timedelta(milliseconds=number)).isoformat(),
             "type": "gps", "lat": 0, "lon": 0, "acc": number} for number in numbers]
        body = {"metadata": {"device_id": f"{self.name}-{device}"}, "data": data}
        try:
            return ask(
                self.url + "/ingest", json.dumps(body).encode(),
                {"X-API-Key": self.key, "Content-Type": "application/json"})[0]
        except (OSError, urllib.error.URLError):
            return None

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def copy(self):
        """The readings that have been acknowledged so far."""
        with self.lock:
            return dict(self.acknowledged)

    def until(self, status, count=20):
        """Waits until this many more batches have been answered with the status."""
        begin = self.statuses[status]
        until(lambda: self.statuses[status] >= begin + count, f"answers of {status}")

    def stored(self, query):
        """The stored readings. Checks that each is stored once and that each was sent.

        query: runs a statement and returns its rows, separated by line feeds, with fields
        separated by commas.
        """
        rows = query(
            "select split_part(device_id, '-', 2), acc::int, count(*) from sluice.gps "
            f"join sluice.device using (device_key) where device_id like '{self.name}-%' "
            "group by 1, 2")
        found = set()
        for row in rows.splitlines():
            device, number, count = map(int, row.split(","))
            assert count == 1, f"reading {number} of device {device} is stored {count} times"
            assert number < self.sent[device], f"reading {number} of {device} was never sent"
            found.add((device, number))
        return found
