#!/usr/bin/env python3
"""Sends readings to a Sluice server, each once, whatever happens to the program, the machine, the
network or the server meanwhile. One file, Python 3.8 or newer, no other package; Unix only.

    client = Client("https://host/ingest", key, Queue("/var/lib/thermometer/queue"))
    client.append([{"t": time.time(), "type": "vital", "code": 30, "val": 21.5}], {"device_id": "t-1"})
    client.run()

Readings go to files first; `append` returns after `fsync`. A segment of them never changes once it is
sent, so each attempt carries the same readings with the same bytes, which the server stores once. It is
deleted after the server's 200 or 202. Any number of threads and processes may append to one queue, and
one at a time sends. Any of them may be killed at any time.

As a program, with the key in SLUICE_KEY:

    python3 sluice_client.py append --queue DIR --device ID [--user ID] < readings.ndjson
    python3 sluice_client.py send --queue DIR --url URL [--forever]
    python3 sluice_client.py state | requeue --queue DIR

Layout of the directory, the same as that of the Swift library SluiceClient:

    lock                        locked while files change
    sender                      locked by the process that sends
    counts                      {"damaged":0,"dropped":0,"rejected":0}, of readings
    1795818373208863.open       a segment that is appended to
    1795818373102211.ready      a segment to be sent; -0 and -1 follow the number of its halves
    rejected/….segment, ….reason

A line of a segment is the CRC-32 of a JSON text as eight hexadecimal digits, a space, the text and a
line feed. The first is the metadata of the batch, the others are readings. A last line without its line
feed was being written when a process ended: nobody was told that it is queued, and it does not count.

Limits: a reading 128 KiB, a call 4 MiB, metadata 4 KiB; see `Queue` for the others.
"""

import argparse
import contextlib
import fcntl
import gzip
import http.client
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request
import zlib

READING_BYTES_MAX = 128 << 10
APPEND_BYTES_MAX = 4 << 20
METADATA_BYTES_MAX = 4 << 10
ANSWER_BYTES_MAX = 1 << 20
REASON_BYTES_MAX = 1000
# Segments that are appended to, one for each metadata: readings of several devices or users in turn must
# not make a batch each.
OPEN_MAX = 16
# A longer time in Retry-After is cut to this.
RETRY_SECONDS_MAX = 3600

NAME = re.compile(r"\d{16}(-[01])*")


class QueueFull(Exception):
    """The queue has reached its limit, and drops nothing by itself. Nothing was queued."""


def line(text):
    """The line of a JSON text in a segment."""
    return b"%08x %s\n" % (zlib.crc32(text), text)


class Text:
    """The lines of a segment. `metadata` is None if its line is missing or damaged: then nobody knows
    whose the readings are. `damaged` counts the other lines whose checksum is wrong."""

    def __init__(self, metadata, readings, damaged=0):
        self.metadata, self.readings, self.damaged = metadata, readings, damaged

    @classmethod
    def parse(cls, content):
        texts = [
            line[9:] if len(line) > 9 and line[:9] == b"%08x " % zlib.crc32(line[9:]) else None
            for line in content.split(b"\n")[:-1]
        ]
        readings = [text for text in texts[1:] if text is not None]
        return cls(texts[0] if texts else None, readings, len(texts[1:]) - len(readings))

    def content(self):
        return b"".join(line(text) for text in [self.metadata, *self.readings])

    def body(self):
        """The body of a request: always the same for the same segment."""
        return b'{"metadata":%s,"data":[%s]}' % (self.metadata, b",".join(self.readings))


class Segment:
    """A segment that is being sent. While `file` is open, no process drops it."""

    def __init__(self, name, text, file):
        self.name, self.text, self.file = name, text, file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.file)


class Queue:
    """Readings on their way to a server, in files.

    bytes_max           of all segments that wait to be sent
    segment_bytes_max   a segment, which is a batch, is not appended to beyond it
    rejected_bytes_max  of the batches that a server rejected; the oldest are deleted and counted beyond
                        it
    drops_oldest        when full, delete the oldest segments that are not being sent and count them;
                        otherwise `append` raises QueueFull
    """

    def __init__(self, directory, bytes_max=64 << 20, segment_bytes_max=128 << 10,
                 rejected_bytes_max=8 << 20, drops_oldest=False):
        self.directory = os.fspath(directory)
        self.bytes_max, self.segment_bytes_max = bytes_max, segment_bytes_max
        self.rejected_bytes_max, self.drops_oldest = rejected_bytes_max, drops_oldest
        os.makedirs(self._path("rejected"), exist_ok=True)
        # The directory must survive a power failure too, and those above it: a process may have been
        # killed after it had made some of them. Not all of them can be read.
        parent = os.path.abspath(self.directory)
        while parent != "/":
            parent = os.path.dirname(parent)
            with contextlib.suppress(OSError):
                _synchronize(parent)

    # Appending

    def append(self, readings, metadata):
        """Queues readings. Returns when they are on the disk; if it raises, none of them is queued.

        readings    dictionaries, or bytes of JSON without line feeds, which are sent as they are. A
                    time must be part of each
        metadata    a dictionary with device_id, and user_id, version, model_name if known
        """
        header = _encoded(metadata, METADATA_BYTES_MAX, "metadata")
        lines = b"".join(
            line(_encoded(reading, READING_BYTES_MAX, "reading %d" % index))
            for index, reading in enumerate(readings))
        if len(lines) > APPEND_BYTES_MAX:
            raise ValueError("%d bytes in one call; at most %d" % (len(lines), APPEND_BYTES_MAX))
        if lines:
            with self._locked():
                self._append(lines, line(header))

    def _append(self, lines, header):
        self._make_room(len(header) + len(lines))
        names = self._names(".open")
        for name in names:
            with _opened(self._path(name + ".open")) as file:
                if os.pread(file, len(header), 0) != header:
                    continue
                size = self._repaired_size(file)
                if size + len(lines) <= self.segment_bytes_max:
                    return _write(file, size, lines)
            self._seal(name)
        if len(names) >= OPEN_MAX:
            self._seal(names[0])
        path = self._path(self._fresh_name() + ".open")
        try:
            # The name first: a process that is killed in between leaves an empty file, which nobody
            # appends to.
            with _opened(path) as file:
                _synchronize(self.directory)
                _write(file, 0, header + lines)
        except BaseException:
            _remove(path)
            raise

    @staticmethod
    def _repaired_size(file):
        """The size without a last line that was never finished, which is removed."""
        content = os.pread(file, os.fstat(file).st_size, 0)
        size = content.rfind(b"\n") + 1
        if size < len(content):
            os.ftruncate(file, size)
        return size

    def _seal(self, name):
        """From here on the segment does not change."""
        os.rename(self._path(name + ".open"), self._path(name + ".ready"))
        _synchronize(self.directory)

    def _fresh_name(self):
        names = self._names(".ready") + self._names(".open")
        last = max((int(name[:16]) for name in names), default=0)
        return "%016d" % max(int(time.time() * 1e6), last + 1)

    def _make_room(self, more):
        if self._bytes() + more <= self.bytes_max:
            return
        self._finish_cuts()
        used = self._bytes()
        dropped = 0
        for name in self._names(".ready") if self.drops_oldest else []:
            if used + more <= self.bytes_max:
                break
            with _opened(self._path(name + ".ready")) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                content = os.pread(file, os.fstat(file).st_size, 0)
                _remove(self._path(name + ".ready"))
                dropped += len(Text.parse(content).readings)
                used -= len(content)
        if dropped:
            self._count(dropped=dropped)
        if used + more > self.bytes_max:
            raise QueueFull("%d of %d bytes are used" % (used, self.bytes_max))

    def _bytes(self):
        return sum(os.path.getsize(self._path(name + suffix))
                   for suffix in (".ready", ".open") for name in self._names(suffix))

    # Sending

    @contextlib.contextmanager
    def sending(self):
        """The right to send; yields False if another process has it."""
        with _opened(self._path("sender")) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def oldest(self, held=()):
        """The oldest segment but those; None if there is none. Without another one, it is the oldest
        that was being appended to."""
        with self._locked():
            self._finish_cuts()
            while True:
                name = next((name for name in self._names(".ready") if name not in held), None)
                if name is None:
                    name = next(iter(self._names(".open")), None)
                    if name is None:
                        return None
                    self._seal(name)
                file = os.open(self._path(name + ".ready"), os.O_RDWR | os.O_CLOEXEC)
                fcntl.flock(file, fcntl.LOCK_SH)
                content = os.pread(file, os.fstat(file).st_size, 0)
                segment = Segment(name, Text.parse(content), file)
                if segment.text.readings and segment.text.metadata is not None:
                    return segment
                with segment:
                    if segment.text.readings:
                        self._move_aside(segment, "the metadata is damaged")
                    else:
                        self._discard(segment)

    def delete(self, segment):
        """Deletes a segment that the server has."""
        with self._locked():
            self._discard(segment)

    def cut(self, segment):
        """Replaces a segment of two readings or more by its halves."""
        readings = segment.text.readings
        middle = len(readings) // 2
        with self._locked():
            for number, half in enumerate([readings[:middle], readings[middle:]]):
                path = self._path("%s-%d" % (segment.name, number))
                with _opened(path + ".part") as file:
                    os.ftruncate(file, 0)
                    _write(file, 0, Text(segment.text.metadata, half).content())
                os.rename(path + ".part", path + ".ready")
            _synchronize(self.directory)
            # While the whole exists, its halves don't count.
            self._discard(segment)

    def reject(self, segment, reason):
        """Moves a segment aside that must not be sent again as it is."""
        with self._locked():
            self._move_aside(segment, reason)

    def _discard(self, segment):
        _remove(self._path(segment.name + ".ready"))
        if segment.text.damaged:
            self._count(damaged=segment.text.damaged)

    def _finish_cuts(self):
        """Removes what a crash during `cut` left."""
        for name in self._names(".part"):
            _remove(self._path(name + ".part"))
        ready = set(self._names(".ready"))
        for name in ready:
            if any(name[:end] in ready for end in range(16, len(name), 2)):
                _remove(self._path(name + ".ready"))

    # Rejected batches

    def _move_aside(self, segment, reason):
        stem = self._path("rejected", segment.name)
        with open(stem + ".reason", "w", encoding="utf-8") as file:
            file.write(reason)
        os.rename(self._path(segment.name + ".ready"), stem + ".segment")
        self._count(rejected=len(segment.text.readings))
        names = self._names(".segment", "rejected")
        sizes = {name: os.path.getsize(self._path("rejected", name + ".segment")) for name in names}
        while sum(sizes.values()) > self.rejected_bytes_max and len(sizes) > 1:
            name = names.pop(0)
            del sizes[name]
            with open(self._path("rejected", name + ".segment"), "rb") as file:
                dropped = len(Text.parse(file.read()).readings)
            _remove(self._path("rejected", name + ".segment"))
            _remove(self._path("rejected", name + ".reason"))
            self._count(dropped=dropped)

    def rejection_reasons(self):
        """The reasons of the rejected batches, oldest first: the status and the beginning of the
        server's answer."""
        with self._locked():
            reasons = []
            for name in self._names(".segment", "rejected"):
                with contextlib.suppress(OSError), open(
                        self._path("rejected", name + ".reason"), encoding="utf-8") as file:
                    reasons.append(file.read())
            return reasons

    def requeue_rejected(self):
        """Queues the rejected batches again, after what was wrong has been put right; returns how
        many."""
        with self._locked():
            names = self._names(".segment", "rejected")
            for name in names:
                fresh = self._path(self._fresh_name() + ".ready")
                os.rename(self._path("rejected", name + ".segment"), fresh)
                _remove(self._path("rejected", name + ".reason"))
            _synchronize(self.directory)
            return len(names)

    # State

    def is_empty(self):
        """Whether nothing waits to be sent."""
        with self._locked():
            return not self._names(".ready") and not self._names(".open")

    def state(self):
        """Counts readings and bytes that wait, rejected batches, and readings that were dropped,
        rejected or damaged since the queue exists. Reads all segments; what others change meanwhile
        may be missing."""
        with self._locked():
            self._finish_cuts()
            state = {"readings": 0, "bytes": 0}
            state["rejected_batches"] = len(self._names(".segment", "rejected"))
            state.update(self._counts())
            paths = [self._path(name + suffix)
                     for suffix in (".ready", ".open") for name in self._names(suffix)]
        for path in paths:
            with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
                content = file.read()
                state["bytes"] += len(content)
                state["readings"] += len(Text.parse(content).readings)
        return state

    def _counts(self):
        counts = {"damaged": 0, "dropped": 0, "rejected": 0}
        with contextlib.suppress(OSError, ValueError), open(self._path("counts"), "rb") as file:
            counts.update(json.load(file))
        return counts

    def _count(self, **more):
        counts = self._counts()
        for name, number in more.items():
            counts[name] += number
        with open(self._path("counts.new"), "w", encoding="utf-8") as file:
            json.dump(counts, file, separators=(",", ":"), sort_keys=True)
        os.replace(self._path("counts.new"), self._path("counts"))

    # Files

    @contextlib.contextmanager
    def _locked(self):
        with _opened(self._path("lock")) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _names(self, suffix, folder=""):
        """The segments with that suffix, oldest first."""
        names = (name[:-len(suffix)] for name in os.listdir(self._path(folder))
                 if name.endswith(suffix))
        # Whole names sort as their segments do: a name comes before those of its halves.
        return sorted(name for name in names if NAME.fullmatch(name))

    def _path(self, *parts):
        return os.path.join(self.directory, *parts)


def _synchronize(path):
    """Makes new names in a directory survive a power failure."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _encoded(value, bytes_max, what):
    if not isinstance(value, bytes):
        value = json.dumps(
            value, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()
    if len(value) > bytes_max:
        raise ValueError("%s has %d bytes; at most %d" % (what, len(value), bytes_max))
    if value[:1] != b"{" or value[-1:] != b"}" or b"\n" in value or not _is_json(value):
        raise ValueError("%s is not one JSON object on one line" % what)
    return value


def _is_json(text):
    def refuse(constant):
        raise ValueError(constant)

    try:
        json.loads(text.decode(), parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    return True


@contextlib.contextmanager
def _opened(path):
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _write(file, size, content):
    """Writes behind the first `size` bytes and waits until all are on the disk. If that fails, the file
    is cut back."""
    try:
        written = 0
        while written < len(content):
            written += os.pwrite(file, content[written:], size + written)
        full = getattr(fcntl, "F_FULLFSYNC", None)  # of Apple, whose fsync leaves bytes in the drive
        try:
            if full is None:
                raise OSError
            fcntl.fcntl(file, full)
        except OSError:
            os.fsync(file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.ftruncate(file, size)
        raise


def _remove(path):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


class Delivery:
    """What one pass over the queue came to: readings by the server's words, readings that were moved
    aside, and why the pass ended. `problem` is None if the queue is empty."""

    def __init__(self):
        self.records = self.stored = self.duplicates = self.quarantined = 0
        self.rejected = 0
        self.problem = None
        self.after_seconds = None

    def __str__(self):
        return "%d sent: %d stored, %d duplicates, %d quarantined; %d rejected%s" % (
            self.records, self.stored, self.duplicates, self.quarantined, self.rejected,
            "; the others wait: " + self.problem if self.problem else "")


def verdict(status, retry_after, answer, readings, is_compressed):
    """What an answer means for the segment that was sent: `delivered` (delete it), `cut` (send its
    halves), `reject` (never again as it is), `hold` (these credentials may not send it), `uncompressed`
    (send it as it is) or `later`; and the answer's JSON, or the seconds to wait."""
    try:
        content = json.loads(answer)
    except (ValueError, RecursionError):
        content = None
    # Only Sluice may decide what becomes of readings. The sign-in page of a wireless network answers 200,
    # too, and a proxy or a server of something else 400.
    if not isinstance(content, dict):
        content = {}
    fault = content.get("detail")
    if status in (200, 202):
        if content.get("status") in ("accepted", "spooled") and content.get("records") == readings:
            return "delivered", content
        return "later", None
    if status == 422 and isinstance(fault, list):
        # All readings share the metadata.
        if any("metadata" in (detail.get("loc") or []) for detail in fault
               if isinstance(detail, dict)):
            return "reject", None
        return "cut", None
    # Without an offset it is not the body that is wrong.
    if status == 400 and isinstance(fault, str) and isinstance(content.get("offset"), int):
        return "cut", None
    # Halves also pass a proxy with a limit of its own.
    if status == 413 and (isinstance(fault, str) or readings > 1):
        return "cut", None
    if status == 415 and is_compressed:
        return "uncompressed", None
    if status == 403:
        return "hold", None
    # The address, the key or the server must be put right; the readings are not to blame.
    seconds = None
    if retry_after and re.fullmatch(r"\s*\d{1,9}\s*", retry_after):
        seconds = min(int(retry_after), RETRY_SECONDS_MAX)
    return "later", seconds


class Client:
    """Sends what is in a queue.

    url     the whole address, such as https://host/ingest
    key     an API key, or a user's token
    """

    def __init__(self, url, key, queue, compresses=True, timeout=60, interval=5, pause_max=300):
        self.url, self.key, self.queue = url, key, queue
        self.compresses, self.timeout = compresses, timeout
        self.interval, self.pause_max = interval, pause_max

    def append(self, readings, metadata):
        """See Queue.append."""
        self.queue.append(readings, metadata)

    def send(self):
        """Sends until the queue is empty or something must be waited for; returns a Delivery."""
        delivery = Delivery()
        try:
            with self.queue.sending() as may_send:
                if may_send:
                    self._send(delivery)
                else:
                    delivery.problem = "another process sends"
        except OSError as error:  # The disk is full, perhaps; everything is still there.
            delivery.problem = "the queue can't be changed: %s" % error
        return delivery

    def run(self, report=lambda delivery: None):
        """Sends for ever."""
        bound = 1
        while True:
            delivery = self.send()
            report(delivery)
            if delivery.problem is None:
                bound, wait = 1, self.interval
            else:
                wait = max(bound * random.random(), delivery.after_seconds or 0)
                bound = min(max(1, self.pause_max), 2 * bound)
            time.sleep(wait)

    def _send(self, delivery):
        held, forbidden = set(), set()
        compresses = self.compresses
        while True:
            segment = self.queue.oldest(held)
            if segment is None:
                return
            with segment:
                text = segment.text
                if text.metadata in forbidden:
                    held.add(segment.name)
                    continue
                what, detail, reason = self._attempt(text, compresses)
                if what == "delivered":
                    self.queue.delete(segment)
                    for name in ("records", "stored", "duplicates", "quarantined"):
                        number = detail.get(name)
                        if isinstance(number, int):
                            setattr(delivery, name, getattr(delivery, name) + number)
                elif what == "cut" and len(text.readings) > 1:
                    self.queue.cut(segment)
                elif what in ("cut", "reject"):
                    self.queue.reject(segment, reason)
                    delivery.rejected += len(text.readings)
                elif what == "hold":
                    forbidden.add(text.metadata)
                    held.add(segment.name)
                    delivery.problem = reason
                elif what == "uncompressed":
                    compresses = False
                else:
                    delivery.problem, delivery.after_seconds = reason, detail
                    return

    def _attempt(self, text, compresses):
        body = text.body()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.key}
        if compresses:
            body = gzip.compress(body)
            headers["Content-Encoding"] = "gzip"
        request = urllib.request.Request(self.url, body, headers)
        try:
            try:
                response = urllib.request.urlopen(request, timeout=self.timeout)
            except urllib.error.HTTPError as refusal:
                response = refusal
            with response:
                status, retry_after = response.getcode(), response.headers.get("Retry-After")
                answer = response.read(ANSWER_BYTES_MAX)
        except (OSError, http.client.HTTPException) as error:
            return "later", None, "no answer: %s" % error
        reason = "%d %s" % (status, answer[:REASON_BYTES_MAX].decode(errors="replace"))
        return (*verdict(status, retry_after, answer, len(text.readings), compresses), reason)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("append", "queue readings from standard input, one JSON object a line"),
                       ("send", "send what is queued"),
                       ("state", "say what is queued, and why batches were rejected"),
                       ("requeue", "queue the rejected batches again")):
        command = commands.add_parser(name, help=what)
        command.add_argument("--queue", required=True, metavar="DIR")
        if name == "append":
            command.add_argument("--device", required=True, metavar="ID")
            command.add_argument("--user", metavar="ID")
        if name == "send":
            command.add_argument("--url", required=True)
            command.add_argument("--forever", action="store_true", help="go on when all is sent")
    options = parser.parse_args()
    queue = Queue(options.queue)
    if options.command == "append":
        metadata = {"device_id": options.device}
        if options.user:
            metadata["user_id"] = options.user
        readings = [text.strip() for text in sys.stdin.buffer if text.strip()]
        try:
            queue.append(readings, metadata)
        except (QueueFull, ValueError, OSError) as error:
            sys.exit("error: %s" % error)
    elif options.command == "send":
        client = Client(options.url, os.environ.get("SLUICE_KEY", ""), queue)
        if options.forever:
            client.run(lambda delivery: print(delivery, flush=True))
        delivery = client.send()
        print(delivery)
        return 75 if delivery.problem else 0  # EX_TEMPFAIL
    elif options.command == "requeue":
        print(queue.requeue_rejected(), "batches are queued again")
    else:
        print(json.dumps(queue.state()))
        for reason in queue.rejection_reasons():
            print(reason)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
