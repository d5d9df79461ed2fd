"""Single steps, for tests that change the server in between."""

import asyncio
import contextlib

import websockets

from client import acknowledged, ask, capture, connect, nothing_left, receive, same, silence


async def send(url, user, identity, text, count="1"):
    """Captures are acknowledged; does not wait for their analysis. Several captures get numbers."""
    async with connect(url, user) as open_socket:
        names = [identity if count == "1" else f"{identity}-{n}" for n in range(int(count))]
        for name in names:
            same(await ask(open_socket, capture(name, transcription=text)), acknowledged(name))


async def collect(url, user, count):
    """Notices of this many captures are pending for the user, each once; the next socket gets
    none."""
    async with connect(url, user) as phone:
        news = [await receive(phone) for _ in range(int(count))]
        same({frame["type"] for frame in news}, {"memory_processed"})
        same(len({frame["captureId"] for frame in news}), int(count))
        await silence(phone, 0.5)
    await nothing_left(lambda: connect(url, user))


async def quiet(url, seconds):
    """A socket that is idle for this long stays open."""
    async with connect(url, "quiet") as phone:
        await silence(phone, float(seconds))
        same(await ask(phone, capture("quiet")), acknowledged("quiet"))


async def hold(url, users, code):
    """Sockets stay open until the server closes them with the code; says on standard output when
    they are open."""
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
