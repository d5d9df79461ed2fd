"""One step each, for tests that do something to the server in between."""

import asyncio
import contextlib

import websockets

from client import acknowledged, ask, capture, connect, same


async def send(url, user, identity, text, count="1"):
    """Captures are acknowledged; nothing more is waited for. Several get a number."""
    async with connect(url, user) as open_socket:
        names = [identity if count == "1" else f"{identity}-{n}" for n in range(int(count))]
        for name in names:
            same(await ask(open_socket, capture(name, transcription=text)), acknowledged(name))


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
