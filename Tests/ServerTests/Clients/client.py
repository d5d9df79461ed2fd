"""Helpers of all scenarios: requests, waiting, and small files to upload."""

import asyncio
import contextlib
import json
import struct
import time
import zlib

import websockets


LIMIT = 120


def sockets_url(url, user):
    return url.replace("http", "ws", 1) + "/ws/ios/" + user


def connect(url, user, **options):
    return websockets.connect(sockets_url(url, user), open_timeout=LIMIT, **options)


async def receive(open_socket):
    text = await asyncio.wait_for(open_socket.recv(), LIMIT)
    assert isinstance(text, str), text
    return json.loads(text)


async def ask(open_socket, frame):
    """Sends a frame and returns the first answer that is no broadcast."""
    await open_socket.send(frame if isinstance(frame, str) else json.dumps(frame))
    while True:
        answer = await receive(open_socket)
        if answer.get("type") != "memory_processed":
            return answer


async def processed(open_socket, capture):
    """Waits for the notice of a capture, and skips other notices."""
    while True:
        news = await receive(open_socket)
        if news.get("type") == "memory_processed" and news["captureId"] == capture:
            return news


async def nothing_left(connect, greeted=None, tries=20):
    """Soon a new socket gets no news. A confirmation, or a notice on its way, may be late, so each
    socket takes what comes and stays open until it is quiet."""
    for _ in range(tries):
        async with connect() as late:
            if greeted:
                await greeted(late)
            count = 0
            with contextlib.suppress(asyncio.TimeoutError):
                while True:
                    await asyncio.wait_for(late.recv(), 0.5)
                    count += 1
            if count == 0:
                return
    raise AssertionError("the same news come again and again")


async def silence(open_socket, seconds):
    try:
        text = await asyncio.wait_for(open_socket.recv(), seconds)
    except asyncio.TimeoutError:
        return
    raise AssertionError(f"expected nothing, got {text}")


def same(found, wanted):
    assert found == wanted, f"found {found!r}, wanted {wanted!r}"


def capture(identity, **fields):
    frame = {"type": "memory_capture", "id": identity, "timestamp": "2026-01-24T15:30:00Z"}
    frame.update(fields)
    return {name: value for name, value in frame.items() if value is not None}


def acknowledged(identity, timestamp="2026-01-24T15:30:00Z"):
    return {"type": "ack", "status": "received", "captureId": identity, "timestamp": timestamp}


def png():
    """A picture of 8 by 8 pixels."""

    def chunk(name, data):
        whole = name + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    rows = b"".join(b"\0" + bytes([40, 90, 200]) * 8 for _ in range(8))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def m4a():
    return b"\0\0\0\x20ftypM4A \0\0\0\0M4A mp42isom\0\0\0\0" + b"\0\0\0\x08mdat" + bytes(3000)


def eventually(question, wanted, seconds=LIMIT):
    end = time.monotonic() + seconds
    while True:
        found = question()
        if wanted(found) or time.monotonic() > end:
            assert wanted(found), found
            return found
        time.sleep(0.1)
