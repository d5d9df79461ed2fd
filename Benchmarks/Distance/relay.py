"""A network between a server and its database: a relay that delivers every byte later.

    relay.py LISTEN TARGET [COMMAND ...]

Addresses are HOST:PORT or the path of a Unix socket. Commands, also one on each line of standard
input at any time, say what the network is like from then on:

    delay=SECONDS       each way, for every byte
    late=SHARE,SECONDS  that share of the chunks is later by so much, and what follows is behind it
    rate=BYTES          a second, in each direction of each connection
    pause=SECONDS       nothing is delivered for so long
    cut                 all connections end

It prints "ready" once it listens, and ends with its standard input. The one thread sleeps until the
next chunk is due. Each chunk has its own due time, so a delay does not limit the rate. A direction
reads no more while WINDOW bytes are under way, so that the sender is held back as by a network.
"""

import collections
import ctypes
import os
import random
import select
import socket
import sys
import time

CHUNK = 64 * 1024
WINDOW = 4 * 1024 * 1024


def address(text):
    if "/" in text:
        return socket.AF_UNIX, text
    host, port = text.rsplit(":", 1)
    return socket.AF_INET, (host, int(port))


class Direction:
    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.chunks = collections.deque()  # of [due, bytes]
        self.size = 0
        self.last = 0.0
        self.has_ended = False
        self.is_full = False


class Relay:
    def __init__(self, listen, target):
        self.family, self.target = address(target)
        family, place = address(listen)
        self.listener = socket.socket(family)
        if family == socket.AF_INET:
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(place)
        if family == socket.AF_UNIX:
            os.chmod(place, 0o777)
        self.listener.listen(128)
        self.directions = []
        self.delay, self.late, self.rate, self.until = 0.0, (0.0, 0.0), 0.0, 0.0

    def command(self, text):
        name, _, value = text.strip().partition("=")
        if name == "delay":
            self.delay = float(value)
        elif name == "late":
            share, seconds = value.split(",")
            self.late = float(share), float(seconds)
        elif name == "rate":
            self.rate = float(value)
        elif name == "pause":
            self.until = time.monotonic() + float(value)
        elif name == "cut":
            for direction in list(self.directions):
                self.end(direction)
        elif name:
            sys.exit(f"relay: no command '{text}'")

    def accept(self):
        client, _ = self.listener.accept()
        server = socket.socket(self.family)
        try:
            server.connect(self.target)
        except OSError:
            client.close()
            server.close()
            return
        for end in (client, server):
            end.setblocking(False)
            if end.family == socket.AF_INET:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.directions += [Direction(client, server), Direction(server, client)]

    def end(self, direction):
        pair = [d for d in self.directions if d.source in (direction.source, direction.sink)]
        self.directions = [d for d in self.directions if d not in pair]
        for end in (direction.source, direction.sink):
            end.close()

    def read(self, direction):
        try:
            chunk = direction.source.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        now = time.monotonic()
        due = now + self.delay
        share, seconds = self.late
        if share and chunk and random.random() < share:
            due += seconds
        due = max(due, direction.last)
        if self.rate:
            due += len(chunk) / self.rate
        direction.last = due
        direction.chunks.append([due, memoryview(chunk)])
        direction.size += len(chunk)
        direction.has_ended = not chunk

    def deliver(self, direction, now):
        while direction.chunks and direction.chunks[0][0] <= now:
            chunk = direction.chunks[0][1]
            if not chunk:
                return self.end(direction)
            try:
                sent = direction.sink.send(chunk)
            except BlockingIOError:
                direction.is_full = True
                return None
            except OSError:
                return self.end(direction)
            direction.size -= sent
            direction.is_full = sent < len(chunk)
            if direction.is_full:
                direction.chunks[0][1] = chunk[sent:]
                return None
            direction.chunks.popleft()

    def run(self):
        print("ready", flush=True)
        while True:
            now = time.monotonic()
            if now >= self.until:
                for direction in list(self.directions):
                    if direction in self.directions and not direction.is_full:
                        self.deliver(direction, now)
            reads, writes, due = [self.listener, sys.stdin], [], now + 60
            sources, sinks = {}, {}
            for direction in self.directions:
                if direction.size < WINDOW and not direction.has_ended:
                    reads.append(direction.source)
                    sources[direction.source] = direction
                if direction.is_full:
                    writes.append(direction.sink)
                    sinks[direction.sink] = direction
                elif direction.chunks:
                    due = min(due, max(direction.chunks[0][0], self.until))
            readable, writable, _ = select.select(reads, writes, [], max(0, due - time.monotonic()))
            for end in writable:
                sinks[end].is_full = False
            for end in readable:
                if end is self.listener:
                    self.accept()
                elif end is sys.stdin:
                    line = sys.stdin.readline()
                    if not line:
                        return
                    self.command(line)
                elif sources[end] in self.directions:
                    self.read(sources[end])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    # PR_SET_TIMERSLACK, in nanoseconds: by default the kernel may wake it 50 microseconds later.
    ctypes.CDLL(None).prctl(29, 1000, 0, 0, 0)
    relay = Relay(sys.argv[1], sys.argv[2])
    for text in sys.argv[3:]:
        relay.command(text)
    try:
        relay.run()
    finally:
        if os.path.exists(sys.argv[1]):
            os.unlink(sys.argv[1])


if __name__ == "__main__":
    main()
