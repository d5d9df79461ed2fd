"""Results on their way to a client that does not get them."""

import asyncio
import contextlib

import websockets

from client import LIMIT, eventually, nothing_left, same, silence
from mealclient import LOGS, User, connected, receive
from relay import Relay, reset_after_handshake


def logged(who, count):
    """Logs so many meals and waits until all have a result; their ids."""
    logs = {who.log("2 eggs")["id"] for _ in range(int(count))}
    eventually(
        lambda: who.told("GET", LOGS, 200, params={"status": "completed"})["total_count"],
        lambda done: done == int(count),
    )
    return logs


async def results(open_socket, logs):
    """Receives until every log's result has arrived; in how many frames."""
    missing, frames = set(logs), 0
    while missing:
        frame = await receive(open_socket)
        same(frame["type"], "meal_log.completed")
        missing.discard(frame["data"]["id"])
        frames += 1
    return frames


async def expect_all(who, logs):
    """The next socket gets every result, once."""
    async with who.connect() as phone:
        await connected(phone)
        same(await results(phone, logs), len(logs))
        await silence(phone, 0.5)
    await nothing_left(who.connect, connected)


async def tunnel(url, count=200):
    """Results that a relay swallows are delivered to the next socket."""
    ann = User(url, "ann")
    async with Relay(url) as relay:
        phone = await User(relay.url, "ann").connect()
        await connected(phone)
        relay.swallows = True
        logs = await asyncio.to_thread(logged, ann, count)
        same(relay.swallowed > 200 * len(logs), True)
        await silence(phone, 0.1)
        relay.cut()
        with contextlib.suppress(websockets.ConnectionClosed):
            await asyncio.wait_for(phone.recv(), LIMIT)
    await expect_all(ann, logs)


async def beside(url, count=50):
    """A result that one of two sockets has confirmed is delivered."""
    ann = User(url, "ann")
    async with Relay(url) as relay, ann.connect() as other:
        phone = await User(relay.url, "ann").connect()
        await connected(phone)
        await connected(other)
        relay.swallows = True
        logs = await asyncio.to_thread(logged, ann, count)
        same(await results(other, logs), len(logs))
        relay.cut()
    await nothing_left(ann.connect, connected)


async def resets(url, count=200, times=20):
    """Results are not lost to clients that connect and reset at once."""
    ann = User(url, "ann")
    logs = await asyncio.to_thread(logged, ann, count)
    for number in range(int(times)):
        await asyncio.to_thread(
            reset_after_handshake, url, "/ws/meal-logs?user_id=ann", number / 100
        )
    await expect_all(ann, logs)
