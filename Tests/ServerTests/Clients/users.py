"""The samples of the guides, and what can be read of a user afterwards."""

import contextlib
import time

import requests

from client import (
    LIMIT,
    acknowledged,
    ask,
    capture,
    connect,
    eventually,
    m4a,
    png,
    processed,
    same,
    silence,
)


async def samples(url):
    """Every sample of the clients' two guides, with this server's address, is answered as they
    say."""
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
        # Only the client's three keys, and a time in the format of ISO8601DateFormatter.
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


async def evening(url):
    """The day of the answers is the user's own calendar day, the one that has a summary."""
    for user, zone, moment, day in [
        ("anywhere", None, "2026-01-25T02:30:00Z", "2026-01-24"),
        ("tokyo", "Asia/Tokyo", "2026-01-24T20:00:00Z", "2026-01-25"),
        ("island", "Pacific/Kiritimati", "2026-01-24T10:00:00Z", "2026-01-25"),
        ("berlin", "Europe/Berlin", "2026-01-24T23:30:00+01:00", "2026-01-24"),
    ]:
        if zone:
            body = {"summary": "s", "timeZone": zone}
            made = requests.post(url + f"/init-user/{user}", json=body, timeout=LIMIT)
            same(made.json()["status"], "success")
        async with connect(url, user) as phone:
            await ask(phone, capture(user, timestamp=moment, transcription="Walking"))
            same((user, (await processed(phone, user))["date"]), (user, day))
        told = requests.get(url + f"/memories/{user}/{day}", timeout=LIMIT).json()
        same((told["status"], told["data"]["totalCaptures"]), ("success", 1))


async def reading(url, other):
    """Notices reach all of a user's sockets on two nodes, and both nodes give the same answers."""

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
            moment = f"2026-01-24T{9 + 4 * number:02}:00:00Z"
            frame = capture(f"ann-{number}", timestamp=moment, transcription=text)
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


async def changes(url):
    """What a user changes and takes back is changed everywhere."""

    def get(path):
        return requests.get(url + path, timeout=LIMIT).json()

    def delete(path):
        answer = requests.delete(url + path, timeout=LIMIT)
        same(answer.status_code, 200)
        return answer.json()["status"]

    made = requests.post(url + "/init-user/ann", json={"summary": "s", "timeZone": "UTC"}, timeout=LIMIT)
    same(made.json()["status"], "success")
    photo = requests.post(
        url + "/upload/first", files={"file": ("photo.jpg", png(), "image/jpeg")}, timeout=LIMIT
    ).json()["url"]
    async with connect(url, "ann") as phone:
        for name, moment, text in [
            ("first", "2026-01-24T23:30:00Z", "Coffee with Sarah"),
            ("second", "2026-01-24T12:00:00Z", "Lunch with David"),
        ]:
            frame = capture(name, timestamp=moment, transcription=text)
            if name == "first":
                frame = capture(name, timestamp=moment, transcription=text, photoURL=photo)
            await ask(phone, frame)
            await processed(phone, name)

        listed = get("/user/ann/captures")
        same([one["captureId"] for one in listed["data"]], ["first", "second"])
        assert listed["data"][0]["analysis"]["mentionedNames"], listed
        same(requests.get(photo, timeout=LIMIT).status_code, 200)

        changed = requests.put(
            url + "/user/ann/profile", json={"timeZone": "Europe/Berlin"}, timeout=LIMIT
        ).json()
        same((changed["status"], changed["data"]["timeZone"]), ("success", "Europe/Berlin"))
        eventually(
            lambda: get("/memories/ann/2026-01-25"), lambda answer: answer["status"] == "success"
        )
        same([one["captureId"] for one in get("/user/ann/captures?date=2026-01-25")["data"]], ["first"])

        same(delete("/user/ann/contacts/David"), "success")
        same(delete("/user/ann/contacts/David"), "not_found")
        same(delete("/user/ann/captures/first"), "success")
        same(requests.get(photo, timeout=LIMIT).status_code, 404)
        eventually(
            lambda: get("/memories/ann/2026-01-25"), lambda answer: answer["status"] == "not_found"
        )
        eventually(lambda: get("/user/ann/contacts")["data"], lambda people: people == [])
        same([one["captureId"] for one in get("/user/ann/captures")["data"]], ["second"])
        same(delete("/memories/ann/2026-01-24"), "success")
        eventually(
            lambda: get("/memories/ann/2026-01-24"), lambda answer: answer["status"] == "not_found"
        )
        same(get("/user/ann/captures")["data"], [])
