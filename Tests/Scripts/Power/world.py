"""A server and its clients on a disk whose power can be cut, and what they have promised."""

import collections
import contextlib
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import zlib

import websockets.exceptions
import websockets.sync.client
from disk import Disk
from fleet import Fleet
from programs import BINARY, ENVIRONMENT, ROOT, ask, run, until
from relay import Relay
from sluice import Sluice

HERE = pathlib.Path(__file__).parent
JSON = {"Content-Type": "application/json"}
APP = {"Authorization": f"Bearer {Sluice.APP_KEY}"}


class World:
    """The disk is the directory disk/. On it are the server's data, the archive, and the queues of
    two clients."""

    SETTINGS = {
        # Small segments, so that many are made, filled and reused.
        "SLUICE_BODY_BYTES_MAX": "512KiB", "SLUICE_SPOOL_RECORD_BYTES_MAX": "1MiB",
        "SLUICE_SPOOL_SEGMENT_BYTES": "1MiB", "SLUICE_SPOOL_FREE_BYTES_MIN": "0",
        "SLUICE_UPLOAD_FREE_BYTES_MIN": "0", "SLUICE_UPLOAD_FILES_PER_DAY": "1000000",
        "SLUICE_KEY_REFRESH_INTERVAL": "200ms", "SLUICE_BACKOFF_MAX": "200ms",
        "SLUICE_REPLAY_RETRY": "200ms", "SLUICE_REPLAY_SHARE_PERCENT": "50",
        "SLUICE_INSPECTION_SECONDS_PER_HOUR": "3600"}

    def __init__(self, directory, cluster, library, settings={}):
        self.directory, self.cluster = directory, cluster
        self.root = directory / "disk"
        self.root.mkdir()
        self.archive = self.root / "archive"
        self.archive.mkdir()
        self.disk = Disk(self.root, directory / "journal")
        self.relay = Relay(cluster)
        self.preload = {
            "LD_PRELOAD": str(library), "POWER_ROOT": str(self.root),
            "POWER_JOURNAL": str(directory / "journal")}
        self.server = Sluice(
            directory / "server", self.relay, self.SETTINGS | self.preload
            | {"SLUICE_DATA_DIR": str(self.root / "data"),
               "SLUICE_ARCHIVE_DIRECTORY": str(self.archive)} | settings)
        self.workers = []
        self.commands = []
        # Senders begin nothing new.
        self.is_resting = False

    @property
    def processes(self):
        found = [worker.process for worker in self.workers] + self.commands
        if self.server.program:
            found.append(self.server.program.process)
        return [process for process in found if process]

    def start(self, cut=0):
        """Starts the server. Returns whether it became healthy; it must, without `cut`, the number of
        changes after which its power fails."""
        self.server.settings["POWER_CUT"] = str(cut)
        try:
            self.server.start()
        except AssertionError:
            if not cut or self.server.program.process.poll() != -signal.SIGKILL:
                raise
            return False
        return True

    def kill(self):
        """Ends all programs; the disk stays as they saw it."""
        self.disk.kill(self.processes)
        self.commands = []

    def cut(self, random=None):
        """Ends all programs, and drops what was not synced; see Disk.cut."""
        self.kill()
        return self.disk.cut(random)

    def sluice(self, *words, cut=0, **options):
        """Runs a command to its end, or to the cut."""
        settings = self.server.settings | {"POWER_CUT": str(cut or 0)}
        return run(BINARY, *words, env=ENVIRONMENT | settings, **options)

    def query(self, sql):
        """Rows, past the relay."""
        done = self.cluster.psql("sluice", sql)
        assert done.returncode == 0, done.stdout
        return done.stdout.partition("\n")[2]

    def drain(self):
        """Waits until the spool is empty."""
        self.relay.open()
        until(lambda: self.server.spooled() == 0, "the spool is replayed")

    def end(self):
        self.kill()
        self.relay.close()


def png(width, random):
    """A picture of noise."""
    def chunk(kind, data):
        return (
            len(data).to_bytes(4, "big") + kind + data
            + zlib.crc32(kind + data).to_bytes(4, "big"))

    rows = b"".join(b"\0" + random.randbytes(width * 3) for _ in range(width))
    size = width.to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(rows, 1))
        + chunk(b"IEND", b""))


class Sender:
    """A thread that sends one thing after the other, and remembers what was acknowledged."""

    PAUSE = 0.02

    def __init__(self, world, random):
        self.world, self.random = world, random
        self.name = f"{type(self).__name__.lower()}-{os.urandom(4).hex()}"
        self.acknowledged = {}
        self.stopping = threading.Event()
        self.number = 0

    def start(self):
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        return self

    def _run(self):
        while not self.stopping.is_set():
            if not self.world.is_resting:
                with contextlib.suppress(OSError):
                    self.send()
            time.sleep(self.PAUSE)

    def stop(self):
        self.stopping.set()
        self.thread.join()

    def ask(self, path, *arguments, **options):
        return ask(self.world.server.url + path, *arguments, **options)

    def post(self, path, fields, file=None):
        """A form; `file` is the content of a PNG."""
        edge = "edge-of-a-part"
        body = b"".join(
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items())
        if file:
            body += (
                f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
                "Content-Type: image/png\r\n\r\n").encode() + file + b"\r\n"
        return self.ask(
            path, body + f"--{edge}--\r\n".encode(),
            APP | {"Content-Type": f"multipart/form-data; boundary={edge}"})

    def lost(self):
        """What was acknowledged and is not there, or not as it was. Doubles are an error."""
        raise NotImplementedError


class Texts(Sender):
    """Events with long texts that don't compress, so that they fill segments."""

    def send(self):
        self.number += 1
        data = [
            {"t": time.time() - 3600 + part / 1000, "type": "event", "label": f"{self.number}.{part}",
             "val_text": self.random.randbytes(4000).hex()} for part in range(6)]
        body = json.dumps({"metadata": {"device_id": self.name}, "data": data}).encode()
        # The same bytes again until they are acknowledged.
        while not self.stopping.is_set():
            with contextlib.suppress(OSError):
                status, _, _ = self.ask("/ingest", body, JSON | {"X-API-Key": Sluice.KEY})
                assert status in (200, 202, 503), status
                if status != 503:
                    for reading in data:
                        self.acknowledged[reading["label"]] = reading["val_text"]
                    return
            time.sleep(self.PAUSE)

    def lost(self):
        acknowledged = dict(self.acknowledged)
        rows = self.world.query(
            "select label, val_text from sluice.event join sluice.device using (device_key) "
            f"where device_id = '{self.name}'").splitlines()
        found = dict(row.split(",") for row in rows)
        assert len(rows) == len(found), f"{self.name}: {len(rows) - len(found)} stored twice"
        return [label for label, text in acknowledged.items() if found.get(label) != text]


class Files(Sender):
    """Pictures of captures and of the journal, compared byte for byte."""

    PAUSE = 0.05

    def send(self):
        self.number += 1
        width = self.random.choice([10, 40, 200])
        if self.number % 2:
            path = f"/upload/{self.name}-{self.number}"
            status, body, _ = self.post(path, {}, png(width, self.random))
            if status == 200:
                self.keep(json.loads(body)["url"])
        else:
            path = f"/api/users/user/{self.name}/moods/swift"
            status, body, _ = self.post(path, {"mood": "calm"}, png(width, self.random))
            if status == 200:
                self.keep(json.loads(body)["imageUrls"][0])

    def keep(self, url):
        """What the server serves before the cut must be served after it; see Journal for what it
        removes from a file."""
        path = "/" + url.split("/", 3)[3]
        self.acknowledged[path] = None
        status, content, _ = self.ask(path, headers=APP)
        if status == 200:
            self.acknowledged[path] = content

    def lost(self):
        missing = []
        for path, content in list(self.acknowledged.items()):
            status, found, _ = self.ask(path, headers=APP)
            if status != 200 or content not in (None, found):
                missing.append(f"{path} ({status})")
        return missing


class Meals(Sender):
    """Logs of meals, which are spooled while the database is unreachable."""

    def send(self):
        body = {"raw_input": "two eggs and toast", "meal_type": "lunch"}
        status, body, _ = self.ask(
            f"/api/v1/meal-logs/natural?user_id={self.name}", json.dumps(body).encode(),
            APP | JSON)
        if status in (201, 202):
            self.acknowledged[json.loads(body)["data"]["id"]] = status

    def lost(self):
        acknowledged = set(self.acknowledged)
        found = self.world.query(
            f"select meal_log_id from sluice.meal_log where user_id = '{self.name}'").split()
        return sorted(acknowledged - {name.upper() for name in found} - set(found))


class Captures(Sender):
    """Captures over a WebSocket, which are spooled while the database is unreachable."""

    def send(self):
        with contextlib.suppress(websockets.exceptions.WebSocketException), self.connect() as socket:
            while not self.stopping.is_set() and not self.world.is_resting:
                self.capture(socket)
                time.sleep(self.PAUSE)

    def connect(self):
        return websockets.sync.client.connect(
            f"{self.world.server.url.replace('http', 'ws', 1)}/ws/ios/{self.name}", open_timeout=10,
            additional_headers={"Authorization": APP["Authorization"]})

    def capture(self, socket):
        """Sends the next one; the same again if it is not acknowledged."""
        name, text = f"{self.name}-{self.number}", f"word {self.number}"
        moment = datetime.datetime.fromtimestamp(1_790_000_000 + self.number, datetime.timezone.utc)
        socket.send(json.dumps({
            "type": "memory_capture", "id": name, "timestamp": moment.isoformat(),
            "transcription": text}))
        while True:
            frame = json.loads(socket.recv(timeout=10))
            if frame.get("ok") is False:
                return
            if frame.get("type") == "ack" and frame["captureId"] == name:
                self.acknowledged[name] = text
                self.number += 1
                return

    def lost(self):
        acknowledged = dict(self.acknowledged)
        rows = self.world.query(
            f"select capture_id, transcription from sluice.capture where user_id = '{self.name}'")
        found = dict(row.split(",") for row in rows.splitlines())
        return [name for name, text in acknowledged.items() if found.get(name) != text]


class Readings(Sender):
    """A Fleet, as a sender."""

    def start(self):
        self.fleet = Fleet(self.world.server.url, Sluice.KEY, devices=2)
        return self

    def stop(self):
        self.fleet.stop()

    @property
    def acknowledged(self):
        return self.fleet.copy()

    @acknowledged.setter
    def acknowledged(self, _):
        pass

    def lost(self):
        acknowledged = self.acknowledged
        return sorted(set(acknowledged) - self.fleet.stored(self.world.query))


class Worker:
    """A program that appends readings to a client's queue, on the disk, and sends them."""

    PROGRAMS = {
        "swift": [pathlib.Path(BINARY).with_name("client-worker")],
        "python": [sys.executable, "-B", ROOT / "Tests/ServerTests/Clients/queueworker.py"]}

    def __init__(self, world, language):
        self.world, self.language = world, language
        self.device = f"{language}-{os.urandom(4).hex()}"
        self.output = world.directory / self.device
        self.process, self.appended = None, 0
        world.workers.append(self)

    def start(self, end=1 << 40):
        """Continues; at the end it sends all that is queued, and exits."""
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                [*map(str, self.PROGRAMS[self.language]), str(self.world.root / "queues" / self.device),
                 self.world.server.url + "/ingest", Sluice.KEY, self.device, str(self.appended),
                 str(end)], stdin=subprocess.DEVNULL, stdout=output,
                stderr=open(self.world.directory / "workers.log", "ab"),
                env=ENVIRONMENT | self.world.preload)

    def read(self):
        """The number of readings whose append has returned. The program must have ended."""
        lines = self.output.read_text().split("\n")[:-1]
        self.appended = max(self.appended, *map(int, lines)) if lines else self.appended
        return self.appended

    def lost(self):
        """Sends what is queued, and returns the readings that were appended and are not stored."""
        self.start(end=self.appended)
        assert self.process.wait(120) == 0, (self.world.directory / "workers.log").read_text()
        # Some batches were answered with 202.
        self.world.drain()
        rows = self.world.query(
            "select val::int, count(*) from sluice.vital join sluice.device using (device_key) "
            f"where device_id = '{self.device}' group by 1").splitlines()
        found = dict(map(int, row.split(",")) for row in rows)
        doubles = [number for number, count in found.items() if count > 1]
        assert not doubles, f"{self.device}: stored twice: {doubles}"
        return sorted(set(range(self.appended)) - set(found))


class Archive:
    """Days that leave the tables, one with each run of `sluice archive run`. A day counts as soon as
    its readings were acknowledged; then it is in the tables or in the archive."""

    AGE, ROWS = 60, 600

    # The server must not know the retention: it would refuse the old readings.
    COMMAND = ["archive", "run", "--trust-clock", "--set", "SLUICE_RETENTION=30d"]

    def __init__(self, world):
        self.world = world
        self.device = f"archive-{os.urandom(4).hex()}"
        self.days = []

    def run(self, random):
        """Sends a day and starts to archive it."""
        day = (datetime.datetime.now(datetime.timezone.utc)
               - datetime.timedelta(days=self.AGE + len(self.days))).date()
        data = [
            {"t": f"{day}T10:{second // 60:02}:{second % 60:02}Z", "type": "vital", "code": 1,
             "val": second} for second in range(self.ROWS)]
        with contextlib.suppress(OSError):
            status, _ = self.world.server.ingest({"metadata": {"device_id": self.device}, "data": data})
            if status in (200, 202):
                self.days.append(day)
        settings = self.world.server.settings | {"POWER_CUT": str(random.randint(1, 60))}
        command = subprocess.Popen(
            [BINARY, *self.COMMAND], env=ENVIRONMENT | settings, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.world.commands.append(command)
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(random.uniform(0, 2))

    def lost(self):
        """Damaged files, and days whose readings are neither in the tables nor in the archive."""
        # Continues what was interrupted: meanwhile a day is a table by itself.
        self.world.sluice(*self.COMMAND)
        done = self.world.sluice("archive", "verify", ok=False)
        if done.returncode:
            return [done.stdout]
        rows = self.world.query(
            "select t::date, count(*) from sluice.vital join sluice.device using (device_key) "
            f"where device_id = '{self.device}' group by 1").splitlines()
        found = collections.Counter()
        for row in rows:
            day, count = row.split(",")
            found[day] += int(count)
        parts = self.world.sluice("archive", "list", "--json", "--kind", "vital").stdout
        for part in json.loads(parts):
            if part["state"] == "gone":
                found[part["day"]] += part["rows"]
        return [f"{day}: {found[day]}" for day in map(str, self.days) if found[day] != self.ROWS]
