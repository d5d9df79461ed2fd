"""One promise at a time, and a cut that drops all that was not synced. Each promise is kept; and it is
broken if one of its syncs does not count, which shows that the sync is needed and that the test sees.

Not in the list:
- the sync of a spare segment before it gets a segment's name. It makes the size durable: without it a
  cut can leave a short segment, which would be called damaged, but its records are synced later;
- a client's sync of names after it sealed a segment, and between the halves of one that it cut and the
  removal of the whole: a Disk keeps the order of names in one directory, which not every file system
  does. The sync of the halves' bytes is needed, but only a cut at one of a few moments shows it;
- the checkpoint of an import: without it readings are sent again, and found stored;
- the name of the private cluster: PostgreSQL's files are not followed here;
- files that are staged for an S3 bucket: they have no names, and a 200 follows the bucket's answer.
"""

import datetime
import json
import random
import subprocess
import sys
import time

import pytest
from programs import ROOT, ask, until
from sluice import Sluice
from world import JSON, Archive, Captures, Files, Worker

CLIENT = ROOT / "Sources/Client/Python/sluice_client.py"


def vital(device, number, age=datetime.timedelta(hours=1)):
    moment = datetime.datetime.now(datetime.timezone.utc) - age
    return {
        "metadata": {"device_id": device},
        "data": [{"t": moment.isoformat(), "type": "vital", "code": 1, "val": number}]}


def stored(world, device):
    rows = world.query(
        "select val::int from sluice.vital join sluice.device using (device_key) "
        f"where device_id = '{device}'")
    return sorted(map(int, rows.split()))


def spooled(world, ignore):
    """A 202."""
    device = f"spooled-{time.time_ns()}"
    ignore()
    world.start()
    world.relay.close()
    for number in range(3):
        assert world.server.ingest(vital(device, number))[0] == 202
    world.cut()
    world.start()
    world.drain()
    return stored(world, device) == [0, 1, 2]


def captured(world, ignore):
    """Acknowledgements of captures over a WebSocket, while the database is unreachable."""
    ignore()
    world.start()
    world.relay.close()
    captures = Captures(world, random.Random(1))
    with captures.connect() as socket:
        while len(captures.acknowledged) < 3:
            captures.capture(socket)
    world.cut()
    world.start()
    world.drain()
    return not captures.lost()


def uploaded(world, ignore):
    """A 200 for a file, and its bytes."""
    ignore()
    world.start()
    files = Files(world, random.Random(1))
    for _ in range(4):
        files.send()
    assert len(files.acknowledged) == 4 and all(files.acknowledged.values())
    world.cut()
    world.start()
    return not files.lost()


def remembered(world, ignore):
    """An issued key is accepted while the database is unreachable."""
    world.start()
    ignore()
    name = f"key-{time.time_ns()}"
    key = world.sluice("keys", "create", name).stdout.split()[-1]
    file = world.root / "data/keys.json"
    until(lambda: name in file.read_text(), "the key is remembered")
    # Its sync of the directory has ended, too.
    time.sleep(0.1)
    world.cut()
    world.relay.close()
    world.start()
    body = json.dumps(vital("remembered", 1)).encode()
    status = ask(world.server.url + "/ingest", body, JSON | {"X-API-Key": key})[0]
    assert status in (202, 503)
    return status == 202


def generated(world, ignore):
    """The ingest key that the first start made is the one of the next start."""
    ignore()
    world.server.settings["INGEST_API_KEY"] = ""
    world.start()
    file = world.root / "data/ingest.key"
    key = file.read_text()
    world.cut()
    world.start()
    return file.read_text() == key


def known(world, ignore):
    """The database that was written to is known."""
    ignore()
    world.start()
    file = world.root / "data/epoch"
    epoch = file.read_text()
    world.cut()
    return file.exists() and file.read_text() == epoch


def archived(world, ignore):
    """A day that has left the tables is in the archive."""
    device = f"archived-{time.time_ns()}"
    ignore()
    world.start()
    age = datetime.timedelta(days=40)
    assert world.server.ingest(vital(device, 7, age))[0] == 200
    assert world.server.ingest(vital(device, 8))[0] == 200
    world.sluice(*Archive.COMMAND)
    assert stored(world, device) == [8]
    world.cut()
    day = (datetime.datetime.now(datetime.timezone.utc) - age).date().isoformat()
    if world.sluice("archive", "verify", ok=False).returncode != 0:
        return False
    world.sluice("archive", "restore", "--day", day)
    return stored(world, device) == [7, 8]


def exported(world, ignore):
    """A file of `sluice export`."""
    world.start()
    assert world.server.ingest(vital("exported", 7))[0] == 200
    ignore()
    file = world.root / "out.csv"
    world.sluice("export", "vital", "--output", file)
    content = file.read_bytes()
    world.cut()
    return b"exported" in content and file.exists() and file.read_bytes() == content


def exported_whole(world, ignore):
    """All data of a user, with files, by `sluice export --user`."""
    def contents():
        return {
            str(file.relative_to(directory)): file.read_bytes()
            for file in directory.rglob("*") if file.is_file()}

    world.start()
    files = Files(world, random.Random(1))
    files.number = 1
    files.send()
    ignore()
    directory = world.root / "whole"
    world.sluice("export", "--user", files.name, directory)
    before = contents()
    world.cut()
    return len(before) > 3 and contents() == before


SYNCS = [
    (spooled, r"^\./$"), (spooled, r"^data/$"), (spooled, r"spool/$"), (spooled, r"spool/\d+\.lz4$"),
    (captured, r"spool/$"), (captured, r"spool/\d+\.lz4$"),
    (uploaded, r"^\./$"), (uploaded, r"^data/$"), (uploaded, r"media/$"), (uploaded, r"objects/$"),
    (uploaded, r"objects/../$"), (uploaded, r"incoming/"),
    (remembered, r"^data/$"), (remembered, r"keys\.json"),
    (generated, r"^data/$"), (generated, r"ingest\.key"),
    (known, r"^data/$"), (known, r"epoch"),
    (archived, r"csv\.zst"), (archived, r"\.json\.part"), (archived, r"^archive/$"),
    (exported, r"out\.csv\.part$"), (exported, r"^\./$"),
    (exported_whole, r"^\./$"), (exported_whole, r"^whole\.part\.\w+/$"),
    (exported_whole, r"/rows/$"), (exported_whole, r"/files/.*/$"), (exported_whole, r"/rows/.*json$"),
    (exported_whole, r"/files/.*\w$"), (exported_whole, r"/index\.md$"),
]
PROMISES = list(dict.fromkeys(promise for promise, _ in SYNCS))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__)
def test_a_promise_is_kept(world, promise):
    assert promise(world, lambda: None), world.server.log.read_text()[-3000:]


@pytest.mark.parametrize(
    "promise, ignored", SYNCS, ids=[f"{promise.__name__}: {ignored}" for promise, ignored in SYNCS])
def test_each_sync_is_needed(world, promise, ignored):
    def ignore():
        world.disk.follow()
        world.disk.ignored = ignored

    try:
        is_kept = promise(world, ignore)
    except AssertionError as error:
        assert "it has ended" in str(error), error
        is_kept = False
    assert world.disk.unsynced, "there was no such sync"
    assert not is_kept, f"without the syncs of {world.disk.unsynced} nothing is lost"


def test_no_promise_needs_the_size_of_a_spare_segment(world):
    world.disk.ignored = r"spool/spare-"
    assert spooled(world, lambda: None)
    assert world.disk.unsynced


@pytest.mark.parametrize("language", Worker.PROGRAMS)
class TestQueues:
    """What an append has queued is delivered."""

    @staticmethod
    def append(world, worker, count=20):
        worker.start()
        until(lambda: len(worker.output.read_text().split()) >= count, "appended")

    def test_appended(self, world, language):
        worker = Worker(world, language)
        self.append(world, worker)
        world.cut()
        assert worker.read() > 0
        world.start()
        assert not worker.lost()

    @pytest.mark.parametrize("ignored", [r"\.open$", r"queues/[^/]+/$", r"queues/$", r"^\./$"])
    def test_each_sync_is_needed(self, world, language, ignored):
        worker = Worker(world, language)
        world.disk.ignored = ignored
        self.append(world, worker)
        world.cut()
        assert worker.read() > 0
        assert world.disk.unsynced, "there was no such sync"
        world.start()
        assert worker.lost()

    def test_a_kill_before_the_cut(self, world, language):
        """A process is killed after each of its first changes. The next one, which finds what that
        one left, keeps its promises too."""
        world.start()
        for changes in range(1, 16):
            worker = Worker(world, language)
            world.preload["POWER_CUT"] = str(changes)
            worker.start()
            worker.process.wait(60)
            del world.preload["POWER_CUT"]
            worker.read()
            self.append(world, worker, 3)
            world.cut()
            worker.read()
            world.start()
            assert not worker.lost(), f"killed after {changes} changes"


def test_an_append_after_a_kill(world):
    """A process that only appends is killed after each of its changes; the next one appends to the
    segment that it left."""
    for changes in range(1, 10):
        queue = world.root / f"queue-{changes}"

        def client(command, environment={}, **options):
            return subprocess.run(
                [sys.executable, "-B", CLIENT, command, "--queue", queue, *options.pop("words", [])],
                env=world.preload | environment, text=True, capture_output=True, **options)

        def append(value, environment={}):
            reading = json.dumps({"t": 1, "type": "vital", "code": 1, "val": value})
            return client("append", environment, words=["--device", "d"], input=reading)

        append(1, {"POWER_CUT": str(changes)})
        assert append(2).returncode == 0
        world.cut()
        state = json.loads(client("state", check=True).stdout.splitlines()[0])
        assert state["readings"] >= 1 and not state["damaged"], f"killed after {changes} changes"


@pytest.mark.parametrize("language", Worker.PROGRAMS)
def test_batches_that_are_cut(make_world, language):
    """The server takes only small batches, so that the client replaces segments by their halves, and is
    killed at random meanwhile."""
    world = make_world({"SLUICE_BODY_BYTES_MAX": "1KiB"})
    worker = Worker(world, language)
    for seed in range(8):
        choices = random.Random(seed)
        # Segments grow before the server runs.
        worker.start()
        until(lambda: len(worker.output.read_text().split()) >= 50, "appended")
        world.kill()
        worker.read()
        world.start()
        world.preload["POWER_CUT"] = str(choices.randint(1, 120))
        worker.start(end=worker.appended)
        worker.process.wait(60)
        del world.preload["POWER_CUT"]
        world.cut(choices)
        world.start()
        assert not worker.lost(), f"seed {seed}"
        rejected = world.root / "queues" / worker.device / "rejected"
        assert not list(rejected.iterdir())


def test_a_kill_before_the_cut(make_world):
    """The server is killed after each of the changes of its first start, but for the 256 equal
    directories. The next one, which finds what that one left, keeps its promises too."""
    for changes in [*range(1, 18), 100, *range(266, 290)]:
        world = make_world()
        if world.start(cut=changes):
            world.kill()
        device = f"killed-{time.time_ns()}"
        world.start()
        files = Files(world, random.Random(1))
        files.send()
        assert len(files.acknowledged) == 1
        world.relay.close()
        assert world.server.ingest(vital(device, 1))[0] == 202
        world.cut()
        world.relay.open()
        world.start()
        world.drain()
        assert stored(world, device) == [1], f"killed after {changes} changes"
        assert not files.lost(), f"killed after {changes} changes"
