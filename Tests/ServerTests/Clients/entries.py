"""Forms of every kind, and the records that they become."""

import requests

from client import LIMIT, png, same
from recordings import TYPES, made


def base(url, user="kim"):
    return f"{url}/api/users/user/{user}"


def post(url, kind, fields, files, user="kim", **options):
    return requests.post(
        f"{base(url, user)}/{kind}/swift",
        data=fields,
        files=files or {"": (None, "")},
        timeout=LIMIT,
        **options,
    )


def refused(answer, code):
    """Expects the error envelope with this code."""
    same(answer.status_code, code)
    told = answer.json()
    same(sorted(told), ["code", "details", "error"])
    same(told["code"], code)
    assert type(told["code"]) is int, told
    return told["details"]


def served(place, content, kind):
    """A file is returned byte for byte, with its type."""
    found = requests.get(place, timeout=LIMIT)
    same(found.status_code, 200)
    same(found.headers["Content-Type"], kind)
    same(found.headers["X-Content-Type-Options"], "nosniff")
    assert found.content == content, (len(found.content), len(content))
    return found


def kinds(url):
    """Real files of every type are recognised by their content and described."""
    for extension, (_, kind) in TYPES.items():
        content = made(extension)
        is_sound = kind.startswith("audio/")
        if is_sound:
            answer = post(
                url, "moods", {"mood": "m"}, {"voiceNote": ("v.bin", content, "audio/x-m4a")}
            )
            same(answer.status_code, 200)
            mood = answer.json()["mood"]
            assert abs(mood["voiceNoteDuration"] - 2) < 0.2, mood
            served(mood["voiceNote"], content, kind)
            again = post(url, "multimedia", {}, {"file": (f"a.{extension}", content)})
            refused(again, 422)
            continue
        answer = post(url, "multimedia", {}, {"file": ("a.bin", content, "text/plain")})
        same(answer.status_code, 200)
        data = answer.json()["files"][0]["data"]
        same((data["type"], data["size"]), (kind, len(content)))
        same((data["width"], data["height"]), (64, 48))
        if kind.startswith("video/"):
            assert abs(data["duration"] - 2) < 0.3, data
        place = data["url"]
        whole = served(place, content, kind)
        part = requests.get(place, headers={"Range": "bytes=100-199"}, timeout=LIMIT)
        same((part.status_code, part.content), (206, content[100:200]))
        tag = whole.headers["ETag"]
        known = requests.get(place, headers={"If-None-Match": tag}, timeout=LIMIT)
        same((known.status_code, known.content), (304, b""))
        resumed = requests.get(
            place, headers={"Range": "bytes=-10", "If-Range": tag}, timeout=LIMIT
        )
        same((resumed.status_code, resumed.content), (206, content[-10:]))
        head = requests.head(place, timeout=LIMIT)
        same((head.status_code, head.headers["Content-Length"]), (200, str(len(content))))
        answer = post(url, "profile-picture", {}, {"file": ("p", content, kind)})
        if extension in ("jpg", "png", "webp"):
            same(answer.status_code, 200)
            served(answer.json()["imageUrl"], content, kind)
        else:
            refused(answer, 422)


def records(url):
    """A record of each kind is returned as it was sent, listed, read alone, and gone when
    deleted."""
    picture, voice = made("jpg"), made("m4a")
    mood = post(
        url,
        "moods",
        {
            "mood": "happy",
            "note": "Großartig 🎉",
            "reason": "Good weather",
            "tags": "sunny, productive,",
            "interests": "photography",
            "moodIntensity": "8",
            "createdAt": "1640995200000",
            "voiceNoteDuration": "45.6",
        },
        [
            ("voiceNote", ("voice.m4a", voice, "audio/m4a")),
            ("file", ("mood_image0.jpg", picture, "image/jpeg")),
            ("image", ("mood_image1.jpg", picture + b"1", "image/jpeg")),
        ],
        "ann",
    )
    same(mood.status_code, 200)
    found = mood.json()
    same((found["success"], found["errors"], len(found["imageUrls"])), (True, None, 2))
    told = found["mood"]
    same(
        {key: told[key] for key in ("mood", "note", "reason", "tags", "interests")},
        {
            "mood": "happy",
            "note": "Großartig 🎉",
            "reason": "Good weather",
            "tags": ["sunny", "productive"],
            "interests": ["photography"],
        },
    )
    same((told["moodIntensity"], told["createdAt"]), (8, 1640995200000))
    same(told["voiceNoteDuration"], 45.6)
    served(told["voiceNote"], voice, "audio/mp4")

    memory = post(
        url,
        "memories",
        {"title": "The lake", "location": "Tahoe", "tags": "a"},
        [("file", ("m.jpg", picture))],
        "ann",
    )
    same(memory.status_code, 200)
    same(memory.json()["memory"]["location"], "Tahoe")
    event = post(
        url,
        "events",
        {"title": "Dinner", "date": "2026-01-24T18:00:00Z"},
        [("file", ("e", picture))],
        "ann",
    )
    same(event.status_code, 200)
    same(event.json()["event"]["date"], "2026-01-24T18:00:00Z")

    for kind, one, identity in [
        ("moods", "mood", told["id"]),
        ("memories", "memory", memory.json()["memory"]["id"]),
        ("events", "event", event.json()["event"]["id"]),
    ]:
        place = f"{base(url, 'ann')}/{kind}/{identity}"
        single = requests.get(place, timeout=LIMIT).json()
        same(single[one]["id"], identity)
        listed = requests.get(f"{base(url, 'ann')}/{kind}", timeout=LIMIT).json()
        same([record["id"] for record in listed[kind]], [identity])
        files = single[one]["imageUrls"]
        same(requests.delete(place, timeout=LIMIT).status_code, 200)
        refused(requests.get(place, timeout=LIMIT), 404)
        refused(requests.delete(place, timeout=LIMIT), 404)
        for file in files:
            refused(requests.get(file, timeout=LIMIT), 404)
    refused(requests.get(told["voiceNote"], timeout=LIMIT), 404)


def lying(url):
    """No file that could act as a page is served as one."""
    page = b"<!DOCTYPE html><script>alert(1)</script>" + bytes(200)
    claims = [("a.jpg", "image/jpeg"), ("a.html", "text/html"), ("a.svg", "image/svg+xml")]
    for name, kind in claims:
        refused(post(url, "multimedia", {}, {"file": (name, page, kind)}), 422)
    # A picture that continues as a page, and has a page's name.
    both = png() + page
    answer = post(url, "multimedia", {}, {"file": ("evil.html", both, "text/html")})
    same(answer.status_code, 200)
    # What is behind the picture is blanked.
    kept = png() + bytes(len(page))
    found = served(answer.json()["files"][0]["data"]["url"], kept, "image/png")
    same(found.headers["Content-Security-Policy"], "default-src 'none'; sandbox")
    assert ".html.png" in found.headers["Content-Disposition"], found.headers
    # One valid file among others.
    answer = post(
        url,
        "multimedia",
        {},
        [("file", ("a.jpg", page)), ("file", ("b.png", png())), ("file", ("c.gif", b""))],
    )
    same(answer.status_code, 200)
    same((answer.json()["count"], len(answer.json()["errors"])), (1, 2))


def thumbnails(url):
    """A thumbnail is a small picture with its own tag, the same each time."""
    picture = made("jpg", "-vf", "scale=256:192")
    answer = post(url, "multimedia", {}, {"file": ("a.jpg", picture)})
    place = answer.json()["files"][0]["data"]["url"]
    whole = requests.get(place, timeout=LIMIT)
    small = requests.get(place + "?w=32", timeout=LIMIT)
    same(small.status_code, 200)
    assert small.headers["Content-Type"] in ("image/jpeg", "image/png"), small.headers
    assert small.headers["ETag"] != whole.headers["ETag"]
    assert len(small.content) < len(whole.content)
    again = requests.get(
        place + "?w=32", headers={"If-None-Match": small.headers["ETag"]}, timeout=LIMIT
    )
    same(again.status_code, 304)
    stored = post(url, "multimedia", {}, {"file": ("s", small.content)}).json()
    # The next larger one of the allowed widths.
    same(stored["files"][0]["data"]["width"], 64)
    same(stored["files"][0]["data"]["height"], 48)
    other = requests.get(place + "?w=64", timeout=LIMIT)
    same(other.headers["ETag"], small.headers["ETag"])
    film = post(url, "multimedia", {}, {"file": ("a.mp4", made("mp4"))})
    refused(requests.get(film.json()["files"][0]["data"]["url"] + "?w=32", timeout=LIMIT), 422)
    refused(requests.get(place + "?w=7", timeout=LIMIT), 400)
