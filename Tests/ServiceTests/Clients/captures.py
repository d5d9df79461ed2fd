"""A client of memory captures, made of other people's libraries: requests and websockets.

    captures.py SCENARIO URL [ARGUMENT ...]

Each scenario is a function below and says in its first line what it wants to see. Ends with 0 when
it saw that, else with a traceback.
"""

import asyncio
import contextlib
import json
import os
import socket
import ssl
import struct
import sys
import time
import zlib

import requests
import websockets

LIMIT = 20


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
    """Waits for the news of a capture, passing over others."""
    while True:
        news = await receive(open_socket)
        if news.get("type") == "memory_processed" and news["captureId"] == capture:
            return news


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
    """A picture of 8 by 8 points."""

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


# The guides' samples


async def samples(url):
    """Every sample of the clients' two guides, with this server's address, answered as they say."""
    media = url + "/media"
    same(requests.get(url + "/", timeout=LIMIT).json(), {"status": "ok"})

    photo = requests.post(
        url + "/upload/ABC-123", files={"file": ("photo.jpg", png(), "image/jpeg")}, timeout=LIMIT
    )
    same(photo.status_code, 200)
    photo_url = media + "/memories/ABC-123/photo.jpg"
    same(photo.json(), {"status": "success", "url": photo_url, "captureId": "ABC-123"})
    audio = requests.post(
        url + "/upload/ABC-123", files={"file": ("audio.m4a", m4a(), "audio/m4a")}, timeout=LIMIT
    )
    audio_url = media + "/memories/ABC-123/audio.m4a"
    same(audio.json(), {"status": "success", "url": audio_url, "captureId": "ABC-123"})

    async with connect(url, "po-lin") as phone:
        first = """{
  "type": "memory_capture",
  "id": "ABC-123",
  "timestamp": "2026-01-23T14:30:00Z",
  "photoURL": "%s",
  "audioURL": "%s",
  "transcription": "Walking through MIT campus"
}""" % (photo_url, audio_url)
        same(await ask(phone, first), acknowledged("ABC-123", "2026-01-23T14:30:00Z"))
        same(
            await processed(phone, "ABC-123"),
            {"type": "memory_processed", "date": "2026-01-23", "captureId": "ABC-123"},
        )
        second = """{
  "type": "memory_capture",
  "id": "abc-123-def-456",
  "timestamp": "2026-01-24T10:30:00-05:00",
  "photoURL": "%s/memories/abc-123/photo.jpg",
  "audioURL": "%s/memories/abc-123/audio.m4a",
  "transcription": "Just met with John at the coffee shop to discuss the project."
}""" % (media, media)
        same(await ask(phone, second), acknowledged("abc-123-def-456"))
        same(
            await processed(phone, "abc-123-def-456"),
            {"type": "memory_processed", "date": "2026-01-24", "captureId": "abc-123-def-456"},
        )
        # The client's three keys only, and a time as ISO8601DateFormatter writes it.
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        third = capture("today", timestamp=now, photoURL=photo_url, transcription="Now")
        same(await ask(phone, third), acknowledged("today", now))

    async with connect(url, "test-user") as terminal:
        line = (
            '{"type":"memory_capture","id":"test-123","timestamp":"2026-01-23T15:30:00Z",'
            '"photoURL":"%s/test.jpg","transcription":"Test"}' % media
        )
        same(await ask(terminal, line), acknowledged("test-123", "2026-01-23T15:30:00Z"))

    names = eventually(
        lambda: requests.get(url + "/user/po-lin/contacts", timeout=LIMIT).json(),
        lambda answer: [person["name"] for person in answer["data"]] == ["John"],
    )
    same(names["status"], "success")


# Files


def media(url):
    """An uploaded file comes back byte for byte, in ranges, and not at all when it is known."""
    body = png()
    place = requests.post(
        url + "/upload/media-1", files={"file": ("x.jpg", body)}, data={"note": "text"}, timeout=LIMIT
    ).json()["url"]
    whole = requests.get(place, timeout=LIMIT)
    same((whole.status_code, whole.content), (200, body))
    same(whole.headers["Content-Length"], str(len(body)))
    assert whole.headers["Content-Type"].startswith("image/"), whole.headers
    same(whole.headers["Accept-Ranges"], "bytes")
    tag = whole.headers["ETag"]
    assert tag.startswith('"'), tag

    def get(**fields):
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        return requests.get(place, headers=headers, timeout=LIMIT)

    part = get(Range="bytes=1-3")
    same((part.status_code, part.content), (206, body[1:4]))
    same(part.headers["Content-Range"], f"bytes 1-3/{len(body)}")
    same(get(Range="bytes=-4").content, body[-4:])
    same(get(Range="bytes=10-").content, body[10:])
    beyond = get(Range=f"bytes={len(body)}-")
    same((beyond.status_code, beyond.headers["Content-Range"]), (416, f"bytes */{len(body)}"))
    known = get(If_None_Match=tag)
    same((known.status_code, known.content), (304, b""))
    same(get(If_None_Match='"other"').status_code, 200)
    same(get(Range="bytes=0-0", If_Range='"other"').status_code, 200)
    same(get(Range="bytes=0-0", If_Range=tag).status_code, 206)
    head = requests.head(place, timeout=LIMIT)
    same((head.status_code, head.headers["Content-Length"]), (200, str(len(body))))

    # The same id replaces, and what was there is known no more.
    other = body + b"more"
    again = requests.post(url + "/upload/media-1", files={"file": ("x.jpg", other)}, timeout=LIMIT)
    same(again.json()["url"], place)
    same(get(If_None_Match=tag).content, other)
    for path in ["/media/memories/none/photo.jpg", "/media/../../etc/passwd", "/media/%2e%2e/x"]:
        answer = requests.Request("GET", url + path).prepare()
        answer.url = url + path
        same(requests.Session().send(answer, timeout=LIMIT).status_code, 404)


def raw(url, head, body=b"", half=False):
    """Sends bytes as they stand; returns status and body."""
    host, port = url.split("//")[1].split(":")
    with socket.create_connection((host, int(port)), timeout=LIMIT) as connection:
        connection.settimeout(LIMIT)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(head.encode() + b"\r\n\r\n" + body)
        if half:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while more := connection.recv(65536):
                answer += more
    head, _, rest = answer.partition(b"\r\n\r\n")
    assert head, "no answer"
    return int(head.split()[1]), rest


def uploads(url):
    """Uploads that are none get a clear error, and nothing of them is stored."""

    def head(identity, length, kind="multipart/form-data; boundary=b"):
        return (
            f"POST /upload/{identity} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {length}"
        )

    def part(content, name="file", fields=b"", end=b"\r\n--b--\r\n"):
        start = f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="p.jpg"\r\n'
        return start.encode() + fields + b"\r\n" + content + end

    jpeg = b"\xff\xd8\xff\xe0" + bytes(500)
    whole = part(jpeg)

    def refused(case, statuses, head, body=b"", half=False):
        status, answer = raw(url, head, body, half)
        assert status in statuses, (case, status, answer)
        told = json.loads(answer)
        assert told["status"] == "error", (case, told)
        assert told["error"].startswith("upload failed: "), (case, told)
        assert "url" not in told, (case, told)
        print(f"{case}: {status} {told['error']}")

    same(raw(url, head("up-ok", len(whole)), whole)[0], 200)
    for kind, bytes_ in [("audio/m4a", m4a()), ("image/png", png())]:
        answer = requests.post(url + "/upload/up-kinds", files={"file": ("f", bytes_, kind)})
        same(answer.status_code, 200)
    refused("truncated", {400}, head("up-cut", len(whole)), whole[:300], half=True)
    short = part(jpeg, end=b"")
    refused("no last boundary", {400}, head("up-end", len(short)), short)
    plain = "multipart/form-data"
    refused("no boundary", {400}, head("up-bound", len(whole), plain), whole)
    refused("no multipart", {415}, head("up-json", 2, "application/json"), b"{}")
    refused("no body", {400}, head("up-none", 0))
    nothing = part(b"")
    refused("0 bytes", {400}, head("up-zero", len(nothing)), nothing)
    other = part(jpeg, name="picture")
    refused("no file", {400}, head("up-file", len(other)), other)
    text = part(b"#!/bin/sh\necho hello\n" * 20, fields=b"Content-Type: text/x-shellscript\r\n")
    text = text.replace(b"p.jpg", b"p.sh")
    refused("no picture", {415}, head("up-text", len(text)), text)
    huge = part(jpeg, fields=b"X-Huge: " + b"h" * 200_000 + b"\r\n")
    refused("huge header of a part", {400, 413}, head("up-huge", len(huge)), huge)
    refused("too large", {413}, head("up-large", 10**10), b"--b\r\n")
    for identity in ["..%2f..%2fetc", "%2e%2e", "a%00b", "a%2fb", "x" * 200, "%ff"]:
        refused(f"id {identity[:20]}", {400}, head(identity, len(whole)), whole)
    status, _ = raw(url, head("../../etc/x", len(whole)), whole)
    assert status in {400, 404}, status

    for name in "cut end bound json none zero file text huge large".split():
        for file in ["photo.jpg", "audio.m4a"]:
            path = f"{url}/media/memories/up-{name}/{file}"
            same(requests.get(path, timeout=LIMIT).status_code, 404)


def lying(url):
    """A file is served as what it is, whatever its part has claimed."""
    page = b"<html><script>alert(1)</script></html>"
    answer = requests.post(
        url + "/upload/lie", files={"file": ("x.jpg", page, "image/jpeg")}, timeout=LIMIT
    )
    print(answer.status_code, answer.text)
    if answer.status_code == 200:
        found = requests.get(answer.json()["url"], timeout=LIMIT)
        assert "html" not in found.headers["Content-Type"], found.headers
        same(found.headers.get("X-Content-Type-Options"), "nosniff")
    else:
        same(answer.status_code, 415)


# Frames


async def frames(url):
    """Each wrong frame gets its error, and the socket stays open for a right one."""
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
        # Without an id one is made; times of every kind are the capture's own in UTC.
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
        # Split over frames, with text of several bytes.
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
    for path, statuses in [("/ws/ios/", {400, 404}), ("/ws/none", {404}), ("/ws/ios/a%00b", {400, 404})]:
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
        assert answer.status_code in statuses, (path, answer.status_code)
        answer.json()
    # No upgrade at all.
    answer = requests.get(url + "/ws/ios/frames", timeout=LIMIT)
    same(answer.status_code, 426)
    answer.json()


async def identity(url):
    """An id is its first user's; the same again is one capture, changed it is analysed again."""
    async with connect(url, "owner") as owner, connect(url, "thief") as thief:
        frame = capture("mine", transcription="Lunch with Alice in Paris")
        same(await ask(owner, frame), acknowledged("mine"))
        await processed(owner, "mine")
        refused = await ask(thief, capture("mine", transcription="Taken"))
        same((refused["ok"], refused["error"]), (False, "failed_to_save"))
        for _ in range(3):
            same(await ask(owner, frame), acknowledged("mine"))
        await silence(owner, 2)
        changed = capture("mine", transcription="Lunch with Robert in Rome")
        same(await ask(owner, changed), acknowledged("mine"))
        await processed(owner, "mine")
        await silence(thief, 0.5)
    eventually(
        lambda: requests.get(url + "/user/owner/contacts", timeout=LIMIT).json(),
        lambda answer: [person["name"] for person in answer["data"]] == ["Robert"],
    )


# A user's data


async def reading(url, other):
    """News reaches all of a user's sockets on two nodes, and both tell the same of the user."""

    def get(base, path):
        answer = requests.get(base + path, timeout=LIMIT)
        return answer.status_code, answer.json()

    def told_by_both(path):
        first, second = get(url, path), get(other, path)
        same(first, second)
        return first[1]

    same(told_by_both("/memories/ann/2026-01-24")["status"], "not_found")
    same(told_by_both("/user/ann/profile")["status"], "not_found")
    same(told_by_both("/user/ann/contacts"), {"status": "success", "data": []})
    made = requests.post(
        url + "/init-user/ann",
        json={"summary": "Ann likes tea. Her sister is Maria.", "timeZone": "Europe/Berlin"},
        timeout=LIMIT,
    )
    same(made.status_code, 200)
    same(made.json()["status"], "success")
    assert isinstance(made.json()["profile"], dict), made.json()
    assert isinstance(made.json()["contactsCount"], int), made.json()
    again = requests.post(other + "/init-user/ann", json={"summary": "Other"}, timeout=LIMIT)
    same(again.json()["status"], "exists")
    same(told_by_both("/user/ann/profile")["status"], "success")
    for body in ["{", "[]", '{"summary":7}', '{"summary":"x","timeZone":"Mars/Olympus"}']:
        answer = requests.post(
            url + "/init-user/bea",
            data=body,
            headers={"Content-Type": "application/json"},
            timeout=LIMIT,
        )
        assert 400 <= answer.status_code < 500, (body, answer.status_code)
        same(answer.json()["status"], "error")

    async with contextlib.AsyncExitStack() as stack:
        phones = [
            await stack.enter_async_context(connect(base, "ann"))
            for base in [url, url, other, other, other]
        ]
        stranger = await stack.enter_async_context(connect(other, "bob"))
        for number, (sender, text) in enumerate(
            [
                (0, "Had coffee with Sarah at Central Park, great morning"),
                (2, "Finished the report with Sarah and David in Boston"),
                (4, "Dinner with my sister Maria, so happy"),
            ]
        ):
            frame = capture(
                f"ann-{number}", timestamp=f"2026-01-24T{9 + 4 * number:02}:00:00Z", transcription=text
            )
            answer = await ask(phones[sender], frame)
            same(answer["captureId"], f"ann-{number}")
            for phone in phones:
                same((await processed(phone, f"ann-{number}"))["date"], "2026-01-24")
        await silence(stranger, 0.5)

    summary = eventually(
        lambda: get(url, "/memories/ann/2026-01-24")[1],
        lambda answer: answer["status"] == "success" and answer["data"]["totalCaptures"] == 3,
    )["data"]
    same(get(other, "/memories/ann/2026-01-24")[1]["data"], summary)
    keys = (
        "summary timeline themes highlights mood peopleInteractions locations accomplishments "
        "morningOverview afternoonOverview eveningOverview totalCaptures"
    )
    for key in keys.split():
        assert key in summary, (key, summary)
    for entry in summary["timeline"]:
        assert {"time", "event"} <= entry.keys(), entry
    people = told_by_both("/user/ann/contacts")["data"]
    names = {person["name"]: person for person in people}
    assert {"Sarah", "David", "Maria"} <= names.keys(), names
    same(names["Sarah"]["mentionCount"], 2)
    same(names["Sarah"]["firstSeen"], "2026-01-24T09:00:00Z")
    same(names["Sarah"]["lastSeen"], "2026-01-24T13:00:00Z")
    for date in ["2026-13-01", "yesterday", "2026-02-30"]:
        status, answer = get(url, f"/memories/ann/{date}")
        assert status in {400, 422} and answer["status"] == "error", (date, status, answer)


# One step, for tests that do something to the server in between


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


async def watch(url, user, identity):
    """Says `open`, then waits for the news of a capture."""
    async with connect(url, user) as phone:
        print("open", flush=True)
        same((await processed(phone, identity))["captureId"], identity)


# Who may call


def status_of(answer):
    with answer:
        assert isinstance(answer.json(), dict), answer.text
        return answer.status_code


async def access(url, own, other, key):
    """A user's token opens that user's data, a key everybody's, and nothing else opens anything."""

    def get(path, token=None, **options):
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        return status_of(requests.get(url + path, headers=fields, timeout=LIMIT, **options))

    for path in ["/user/ann/profile", "/user/ann/contacts", "/memories/ann/2026-01-24"]:
        found = [get(path, token) for token in (None, "wrong", other, own, key)]
        assert found[:3] == [401, 401, 403], (path, found)
        assert set(found[3:]) <= {200, 404}, (path, found)
    for token, status in [(None, 401), ("wrong", 401), (other, 403), (own, 200), (key, 200)]:
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        answer = requests.post(
            url + "/init-user/ann", json={"summary": "s"}, headers=fields, timeout=LIMIT
        )
        same(status_of(answer), status)
    place = None
    for token, status in [(None, 401), ("wrong", 401), (own, 200)]:
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        answer = requests.post(
            url + "/upload/auth-1", files={"file": png()}, headers=fields, timeout=LIMIT
        )
        same(status_of(answer), status)
        place = answer.json().get("url")
    print("media without a token:", requests.get(place, timeout=LIMIT).status_code)

    async def opens(token, as_query=False):
        fields = {"Authorization": f"Bearer {token}"} if token and not as_query else {}
        user = f"ann?token={token}" if as_query else "ann"
        try:
            async with connect(url, user, additional_headers=fields) as open_socket:
                answer = await ask(open_socket, capture("auth-2"))
                assert answer.get("type") == "ack", answer
                return 101
        except websockets.InvalidStatus as refusal:
            json.loads(refusal.response.body)
            return refusal.response.status_code

    for as_query in [False, True]:
        found = [await opens(token, as_query) for token in (None, "wrong", other, own, key)]
        if as_query:
            found[0] = 401
        same(found, [401, 401, 403, 101, 101])


async def secure(url, certificate):
    """Over TLS: upload, wss:// and what was analysed."""
    trust = ssl.create_default_context(cafile=certificate)
    answer = requests.post(
        url + "/upload/tls-1", files={"file": png()}, verify=certificate, timeout=LIMIT
    )
    place = answer.json()["url"]
    assert place.startswith("https://"), place
    same(requests.get(place, verify=certificate, timeout=LIMIT).content, png())
    async with connect(url, "tls", ssl=trust) as phone:
        same(await ask(phone, capture("tls-1", photoURL=place)), acknowledged("tls-1"))
        await processed(phone, "tls-1")


def main():
    scenario, url, *arguments = sys.argv[1:]
    function = globals()[scenario]
    if asyncio.iscoroutinefunction(function):
        asyncio.run(function(url, *arguments))
    else:
        function(url, *arguments)


main()
