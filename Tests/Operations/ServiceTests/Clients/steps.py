"""One step each, for tests that do something to the server in between."""

import asyncio
import contextlib

import websockets

from client import acknowledged, ask, capture, connect, receive, same, silence


async def send(url, user, identity, text, count="1"):
    """Captures are acknowledged; nothing more is waited for. Several get a number."""
    async with connect(url, user) as open_socket:
        names = [identity if count == "1" else f"{identity}-{n}" for n in range(int(count))]
        for name in names:
            same(await ask(open_socket, capture(name, transcription=text)), acknowledged(name))


async def collect(url, user, count):
    """News of so many captures wait for the user, each once; and none of them for the next socket."""
    async with connect(url, user) as phone:
        news = [await receive(phone) for _ in range(int(count))]
        same({frame["type"] for frame in news}, {"memory_processed"})
        same(len({frame["captureId"] for frame in news}), int(count))
        await silence(phone, 0.5)
    async with connect(url, user) as phone:
        await silence(phone, 0.5)


async def quiet(url, seconds):
    """A socket on which nothing is said for that long is open still."""
    async with connect(url, "quiet") as phone:
        await silence(phone, float(seconds))
        same(await ask(phone, capture("quiet")), acknowledged("quiet"))


async def hold(url, users, code):
    """Sockets are open until the server closes them with the code; says so on standard output."""
    async with contextlib.AsyncExitStack() as stack:
        phones = [
            await stack.enter_async_context(connect(url, f"hold-{n}")) for n in range(int(users))
        ]
        print("open", flush=True)
        for phone in phones:
            with contextlib.suppress(websockets.ConnectionClosed):
                while True:
                    await asyncio.wait_for(phone.recv(), 60)
            same(phone.close_code, int(code))
    print("closed", flush=True)
