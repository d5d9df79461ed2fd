"""Access rights, and TLS."""

import base64
import hashlib
import hmac
import json
import ssl
import time

import requests
import websockets

from client import LIMIT, acknowledged, ask, capture, connect, png, processed, same


def status_of(answer):
    with answer:
        assert isinstance(answer.json(), dict), answer.text
        return answer.status_code


def token_of(secret, user, seconds=600):
    """A JWT of a user, valid for this many seconds."""

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    claims = {"sub": user, "exp": int(time.time()) + seconds}
    signed = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    signature = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    return (signed + b"." + part(signature)).decode()


async def upgrade_of(url, user, **options):
    """The status of an upgrade; if it works, a capture is acknowledged."""
    try:
        async with connect(url, user, **options) as open_socket:
            answer = await ask(open_socket, capture("auth-2"))
            assert answer.get("type") == "ack", answer
            return 101
    except websockets.InvalidStatus as refusal:
        json.loads(refusal.response.body)
        return refusal.response.status_code


async def access(url, secret, key):
    """A token gives access to its user's data, a key to all users' data, and nothing else does."""
    own, other = token_of(secret, "ann"), token_of(secret, "bob")

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
    same(get(place.removeprefix(url)), 401)
    fields = {"Authorization": f"Bearer {own}"}
    same(requests.get(place, headers=fields, timeout=LIMIT).content, png())
    fields = {"Authorization": f"Bearer {other}"}
    assert requests.get(place, headers=fields, timeout=LIMIT).status_code in {403, 404}, place

    async def opens(token, as_query=False):
        fields = {"Authorization": f"Bearer {token}"} if token and not as_query else {}
        user = f"ann?token={token}" if as_query else "ann"
        return await upgrade_of(url, user, additional_headers=fields)

    for as_query in [False, True]:
        found = [await opens(token, as_query) for token in (None, "wrong", other, own, key)]
        if as_query:
            found[0] = 401
        same(found, [401, 401, 403, 101, 101])


async def trusting(url, secret):
    """Captures and the journal of two users without credentials; tokens that are sent are
    checked."""
    for user in ["ann", "bob"]:
        answer = requests.post(url + f"/upload/{user}-1", files={"file": png()}, timeout=LIMIT)
        same(status_of(answer), 200)
        place = answer.json()["url"]
        same(requests.get(place, timeout=LIMIT).content, png())
        async with connect(url, user) as phone:
            frame = capture(f"{user}-1", photoURL=place, transcription="Walking")
            same(await ask(phone, frame), acknowledged(f"{user}-1"))
            await processed(phone, f"{user}-1")
        answer = requests.get(url + f"/memories/{user}/2026-01-24", timeout=LIMIT)
        same((answer.status_code, answer.json()["status"]), (200, "success"))
        same(answer.json()["data"]["totalCaptures"], 1)
        journal = f"{url}/api/users/user/{user}"
        fields = {"mood": (None, "happy"), "file": ("a.png", png(), "image/png")}
        answer = requests.post(journal + "/moods/swift", files=fields, timeout=LIMIT)
        same(status_of(answer), 200)
        same(requests.get(answer.json()["imageUrls"][0], timeout=LIMIT).content, png())
        same(status_of(requests.get(journal + "/moods", timeout=LIMIT)), 200)

    own, late = token_of(secret, "ann"), token_of(secret, "ann", seconds=-600)
    paths = ["/user/ann/contacts", "/memories/ann/2026-01-24", "/api/users/user/ann/moods"]
    for token, status in [(own, 200), (own[:-2], 401), ("a b", 401), (late, 401)]:
        fields = {"Authorization": f"Bearer {token}"}
        for path in paths:
            answer = requests.get(url + path, headers=fields, timeout=LIMIT)
            same((path, token, status_of(answer)), (path, token, status))
        upgrade = 101 if status == 200 else status
        same(await upgrade_of(url, "ann", additional_headers=fields), upgrade)
        same(await upgrade_of(url, "ann?token=" + token.replace(" ", "%20")), upgrade)
    other = {"Authorization": "Bearer " + token_of(secret, "bob")}
    for path in paths:
        same(status_of(requests.get(url + path, headers=other, timeout=LIMIT)), 403)


async def secure(url, certificate):
    """Over TLS: upload, wss:// and the results of an analysis."""
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
