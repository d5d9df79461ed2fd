"""Notices of captures on their way to a client that does not get them."""

import asyncio
import contextlib
import json

import requests
import websockets

from client import LIMIT, capture, connect, eventually, nothing_left, receive, same, silence
from relay import Relay, reset_after_handshake


def analysed(url, user, count):
    """Waits until the day's summary has that many captures."""
    eventually(
        lambda: requests.get(f"{url}/memories/{user}/2026-01-24", timeout=LIMIT).json(),
        lambda answer: answer.get("data", {}).get("totalCaptures") == int(count),
    )


async def tunnel(url, count=200, times=10):
    """Notices that a relay swallows, or that go to clients that reset at once, are delivered to the
    next socket."""
    names = {f"tunnel-{number}" for number in range(int(count))}
    async with Relay(url) as relay:
        phone = await connect(relay.url, "ann")
        relay.swallows = True
        for name in names:
            await phone.send(json.dumps(capture(name, transcription="A walk")))
        await asyncio.to_thread(analysed, url, "ann", count)
        # The day is summed up before its captures are announced.
        await silence(phone, 1)
        relay.cut()
        with contextlib.suppress(websockets.ConnectionClosed):
            await asyncio.wait_for(phone.recv(), LIMIT)
    for number in range(int(times)):
        await asyncio.to_thread(reset_after_handshake, url, "/ws/ios/ann", number / 100)
    async with connect(url, "ann") as phone:
        missing = set(names)
        while missing:
            frame = await receive(phone)
            same(frame["type"], "memory_processed")
            missing.discard(frame["captureId"])
        await silence(phone, 0.5)
    await nothing_left(lambda: connect(url, "ann"))
