"""Valid and invalid frames on a socket."""

import asyncio
import contextlib
import datetime
import json

import requests
import websockets

from client import (
    LIMIT,
    acknowledged,
    ask,
    capture,
    connect,
    eventually,
    processed,
    receive,
    same,
    silence,
)


def hours_ahead(hours):
    """A time that many hours after this machine's."""
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return time.isoformat()


async def frames(url):
    """Each invalid frame gets its error, and the socket stays open for a valid one."""
    wrong = [
        ("hello", "invalid_json"),
        ("", "invalid_json"),
        ('{"type":"memory_capture"', "invalid_json"),
        ('{"type":"memory_capture",}', "invalid_json"),
        ("[1]", None),
        ('"text"', None),
        ("{}", "invalid_type"),
        ('{"type":"ping"}', "invalid_type"),
        ('{"type":7}', "invalid_type"),
        (capture("f", timestamp=None), "failed_to_save"),
        (capture("f", timestamp="yesterday"), "failed_to_save"),
        (capture("f", timestamp=1769268600), "failed_to_save"),
        (capture("f", timestamp="2026-02-30T00:00:00Z"), "failed_to_save"),
        (capture("f", timestamp="0001-01-01T00:00:00Z"), "failed_to_save"),
        (capture("f", timestamp="9999-12-31T23:59:59Z"), "failed_to_save"),
        (capture("f", timestamp=hours_ahead(25)), "failed_to_save"),
        (capture("../../etc/passwd"), "failed_to_save"),
        (capture(7), "failed_to_save"),
        (capture("f" * 129), "failed_to_save"),
        (capture("f", photoURL="javascript:alert(1)"), "failed_to_save"),
        (capture("f", transcription="a\0b"), "failed_to_save"),
        (capture("f", transcription="x" * 40_000), "failed_to_save"),
    ]
    async with connect(url, "frames") as open_socket:
        for frame, error in wrong:
            answer = await ask(open_socket, frame)
            assert answer["ok"] is False and isinstance(answer["detail"], str), (frame, answer)
            assert answer["error"] == error or error is None, (frame, answer)
            assert answer["error"] in {"invalid_json", "invalid_type", "failed_to_save"}, answer
            if answer["error"] == "invalid_type":
                wanted = "Expected type=memory_capture"
                same((answer["detail"], answer["status"]), (wanted, "invalid_type"))
        # Answers keep the order of their frames.
        for number in range(20):
            await open_socket.send(json.dumps(capture(f"order-{number}")))
            await open_socket.send("wrong")
        seen = []
        while len(seen) < 40:
            answer = await receive(open_socket)
            if answer.get("type") != "memory_processed":
                seen.append(answer.get("captureId", answer.get("error")))
        wanted = [name for n in range(20) for name in (f"order-{n}", "invalid_json")]
        same(seen, wanted)
        # Without an id one is generated; times in every format become the capture's time in UTC.
        answer = await ask(open_socket, capture(None))
        assert len(answer["captureId"]) == 36, answer
        for number, (time_in, time_out) in enumerate(
            [
                ("2026-01-24T10:30:00.987654-05:00", "2026-01-24T15:30:00Z"),
                ("2026-01-24T10:30:00-0500", "2026-01-24T15:30:00Z"),
                ("2026-01-24T15:30:00", "2026-01-24T15:30:00Z"),
                ("2026-01-24T23:30:00-05:00", "2026-01-25T04:30:00Z"),
            ]
        ):
            answer = await ask(open_socket, capture(f"time-{number}", timestamp=time_in))
            same(answer, acknowledged(f"time-{number}", time_out))
        # A text with multi-byte characters, split over frames.
        text = json.dumps(capture("pieces", transcription="Grüße 👋"), ensure_ascii=False)
        await open_socket.send([text[:30], text[30:-5], text[-5:]])
        while (answer := await receive(open_socket)).get("captureId") != "pieces":
            pass
        same(answer, acknowledged("pieces"))

    async def closed_by(data, code):
        async with connect(url, "frames") as open_socket:
            with contextlib.suppress(websockets.ConnectionClosed):
                await open_socket.send(data)
                while True:
                    await asyncio.wait_for(open_socket.recv(), LIMIT)
            same(open_socket.close_code, code)

    await closed_by(b"binary", 1003)
    await closed_by(json.dumps(capture("large", transcription="x" * 200_000)), 1009)
    for path in ["/ws/ios/", "/ws/none", "/ws/ios/a%00b"]:
        answer = requests.get(
            url + path,
            headers={
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            },
            timeout=LIMIT,
        )
        assert answer.status_code in {400, 404}, (path, answer.status_code)
        answer.json()
    # Not an upgrade.
    answer = requests.get(url + "/ws/ios/frames", timeout=LIMIT)
    same(answer.status_code, 426)
    answer.json()


async def identity(url):
    """Ids are separate for each user. A repeated frame is one capture; a changed one is analysed
    again."""
    async with connect(url, "owner") as owner, connect(url, "neighbour") as neighbour:
        frame = capture("mine", transcription="Lunch with Alice in Paris")
        same(await ask(owner, frame), acknowledged("mine"))
        await processed(owner, "mine")
        other = capture("mine", transcription="Dinner with Carol in Oslo")
        same(await ask(neighbour, other), acknowledged("mine"))
        await processed(neighbour, "mine")
        for _ in range(3):
            same(await ask(owner, frame), acknowledged("mine"))
        await silence(owner, 2)
        changed = capture("mine", transcription="Lunch with Robert in Rome")
        same(await ask(owner, changed), acknowledged("mine"))
        await processed(owner, "mine")
        await silence(neighbour, 0.5)
    for user, name in [("owner", "Robert"), ("neighbour", "Carol")]:
        eventually(
            lambda: requests.get(f"{url}/user/{user}/contacts", timeout=LIMIT).json(),
            lambda answer: [person["name"] for person in answer["data"]] == [name],
        )
