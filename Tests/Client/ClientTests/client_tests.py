"""Tests of sluice_client.py: the queue after crashes, on damaged disks and when it is full. Argument: a
gzip file of the Swift client, which is unpacked to a file of that name with `.out`."""

import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "Sources/Client/Python"))
from sluice_client import Client, Queue, QueueFull, line, verdict  # noqa: E402

DEVICE = {"device_id": "d"}


def reading(number):
    return b'{"t":%d,"type":"vital","code":1,"val":%d}' % (number, number)


def readings(*numbers):
    return [reading(number) for number in range(*numbers)]


def drain(queue):
    found = []
    while (segment := queue.oldest()) is not None:
        with segment:
            found += segment.text.readings
            queue.delete(segment)
    return found


class QueueTests(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def only(self, suffix):
        [file] = self.directory.glob("*" + suffix)
        return file

    def clear(self):
        for file in self.directory.iterdir():
            if file.is_file():
                file.unlink()

    def test_torn(self):
        queue = Queue(self.directory)
        queue.append(readings(2), DEVICE)
        file = self.only(".open")
        acknowledged = file.stat().st_size
        queue.append(readings(2, 5), DEVICE)
        whole = file.read_bytes()
        for length in range(len(whole) + 1):
            for appends in (False, True):
                self.clear()
                file.write_bytes(whole[:length])
                if appends:
                    queue.append([reading(5)], DEVICE)
                found = drain(queue)
                if appends:
                    self.assertEqual(found.pop(), reading(5))
                self.assertEqual(found, readings(len(found)))
                self.assertTrue(length < acknowledged or len(found) >= 2, length)
                self.assertFalse(any(queue.state().values()), length)

    def test_changed_byte(self):
        queue = Queue(self.directory)
        queue.append(readings(4), DEVICE)
        file = self.only(".open")
        whole = file.read_bytes()
        header = len(line(json.dumps(DEVICE, separators=(",", ":")).encode()))
        for place in range(len(whole)):
            self.clear()
            content = bytearray(whole)
            content[place] ^= 1 << place % 8
            file.write_bytes(content)
            found = drain(queue)
            state = queue.state()
            self.assertTrue(set(found) <= set(readings(4)))
            if place < header:
                self.assertTrue(not found and state["rejected_batches"])
            elif place < len(whole) - 1:
                self.assertGreaterEqual(len(found), 2)
                self.assertTrue(state["damaged"] or state["rejected_batches"])
            queue.requeue_rejected()

    def test_cut(self):
        queue = Queue(self.directory)
        queue.append(readings(7), DEVICE)
        with queue.oldest() as segment:
            whole_file = self.only(".ready")
            whole = whole_file.read_bytes()
            queue.append([reading(7)], DEVICE)
            later = self.only(".open")
            after = later.read_bytes()
            queue.cut(segment)
        halves = [(file, file.read_bytes()) for file in sorted(self.directory.glob("*.ready"))]
        for part, there, has_whole in [(1, 0, 1), (0, 1, 1), (1, 1, 1), (0, 2, 1), (0, 2, 0)]:
            self.clear()
            later.write_bytes(after)
            if has_whole:
                whole_file.write_bytes(whole)
            for file, content in halves[:there]:
                file.write_bytes(content)
            if part:
                (self.directory / (segment.name + "-1.part")).write_bytes(b"torn")
            self.assertEqual(drain(queue), readings(8))

    def test_full(self):
        queue = Queue(self.directory, bytes_max=600, segment_bytes_max=150)
        accepted = 0
        with self.assertRaises(QueueFull):
            while accepted < 100:
                queue.append([reading(accepted)], DEVICE)
                accepted += 1
        self.assertGreater(accepted, 3)
        self.assertEqual(drain(queue), readings(accepted))

    def test_drop_oldest(self):
        queue = Queue(self.directory, bytes_max=600, segment_bytes_max=150, drops_oldest=True)
        for number in range(3):
            queue.append([reading(number)], DEVICE)
        with queue.oldest() as sent:
            for number in range(3, 40):
                queue.append([reading(number)], DEVICE)
            state = queue.state()
            self.assertLessEqual(state["bytes"], 600)
            self.assertEqual(state["readings"] + state["dropped"], 40)
        first = len(sent.text.readings)
        found = drain(queue)
        self.assertEqual(found[:first], sent.text.readings)
        self.assertEqual(found[first:], readings(40 - len(found) + first, 40))

    def test_bad_readings(self):
        queue = Queue(self.directory)
        two = reading(0) + b"," + reading(1)
        deep = b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
        for bad in (b"[1]", b"", b"{\n}", b"{%s}" % (b" " * (128 << 10)), {"val": float("nan")},
                    two, b"{,}", b'{"a":1}}', b'{"a":NaN}', b'{"a":"\xff"}', deep):
            with self.assertRaises(ValueError):
                queue.append([reading(0), bad], DEVICE)
        for bad in (b"null", b"{},{}"):
            with self.assertRaises(ValueError):
                queue.append([reading(0)], bad)
        self.assertFalse(any(queue.state().values()))

    def test_rejected(self):
        queue = Queue(self.directory, rejected_bytes_max=250)
        for number in range(6):
            queue.append([reading(number)], DEVICE)
            with queue.oldest() as segment:
                queue.reject(segment, "422 number %d" % number)
        self.assertEqual(
            queue.rejection_reasons(), ["422 number 3", "422 number 4", "422 number 5"])
        self.assertEqual(queue.state()["dropped"], 3)
        self.assertIsNone(queue.oldest())
        self.assertEqual(queue.requeue_rejected(), 3)
        self.assertEqual(drain(queue), readings(3, 6))

    def test_disk_full(self):
        """The batch must be moved aside, and the disk has no room for the reason."""
        queue = Queue(self.directory)
        queue.append([reading(0)], DEVICE)
        file = self.only(".open")
        content = file.read_bytes()
        file.write_bytes(b"-" + content[1:])
        no_room = self.directory / "rejected" / (file.stem + ".reason")
        no_room.symlink_to("/dev/full")
        # Nobody listens there.
        client = Client("http://127.0.0.1:9/ingest", "k", queue, interval=0.01, pause_max=1)

        class Ended(Exception):
            pass

        problems = []

        def report(delivery):
            problems.append(delivery.problem)
            if delivery.problem is None:
                raise Ended
            if len(problems) == 2:
                self.assertEqual(queue.state()["rejected_batches"], 0)
                self.assertEqual(len(list(self.directory.glob("*.ready"))), 1)
                no_room.unlink()

        with self.assertRaises(Ended):
            client.run(report)
        self.assertEqual(len(problems), 3)
        self.assertIn("No space left", problems[0])
        self.assertEqual(queue.rejection_reasons(), ["the metadata is damaged"])


class VerdictTests(unittest.TestCase):
    def test_answers(self):
        file = ROOT / "Tests/Client/ClientTests/Fixtures/verdicts.json"
        for case in json.loads(file.read_text()):
            with self.subTest(case):
                what, detail = verdict(
                    case["status"], case.get("retryAfter"), case["body"].encode(),
                    case.get("readings", 3), case.get("isCompressed", False))
                self.assertEqual(what, case["verdict"])
                if what == "later":
                    self.assertEqual(detail, case.get("seconds"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        packed = pathlib.Path(sys.argv.pop())
        packed.with_name(packed.name + ".out").write_bytes(gzip.decompress(packed.read_bytes()))
    unittest.main()
