"""A relay between a client and the server, as a tunnel on a phone's way."""

import asyncio
import socket
import struct
import time
from urllib.parse import urlsplit

# Closing such a socket sends a reset and drops all bytes that were not sent or read.
RESET = struct.pack("ii", 1, 0)


class Relay:
    """Connections to `url` go to the server. While `swallows` is set, the relay reads what the
    server sends and forwards none of it: the server's kernel has every byte acknowledged."""

    def __init__(self, server_url):
        self.target = urlsplit(server_url)
        self.swallows = False
        self.swallowed = 0
        self.writers = []
        self.tasks = set()

    async def __aenter__(self):
        self.listener = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        port = self.listener.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_):
        self.cut()
        self.listener.close()
        for task in self.tasks:
            task.cancel()

    async def accept(self, reader, writer):
        from_server, to_server = await asyncio.open_connection(
            self.target.hostname, self.target.port
        )
        self.writers += [writer, to_server]
        for pump in [self.upwards(reader, to_server), self.downwards(from_server, writer)]:
            task = asyncio.create_task(pump)
            self.tasks.add(task)

    async def upwards(self, reader, writer):
        while data := await reader.read(65536):
            writer.write(data)

    async def downwards(self, reader, writer):
        while data := await reader.read(65536):
            if self.swallows:
                self.swallowed += len(data)
            else:
                writer.write(data)

    def cut(self):
        """Ends all connections at both sides, without a farewell."""
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()


def reset_after_handshake(url, path, seconds):
    """Connects, sends a WebSocket's handshake, reads the first bytes of the answer and, that much
    later, resets."""
    target = urlsplit(url)
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {target.netloc}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    with socket.create_connection((target.hostname, target.port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        first = connection.recv(12)
        assert first == b"HTTP/1.1 101", first
        time.sleep(seconds)
