"""Single steps, for tests that change the server in between."""

import json

from client import eventually, nothing_left, same, silence
from mealclient import LOGS, User, connected, error_of, receive, whole_log


def somebody(url, user):
    """`NAME`, or `NAME=KEY`: a key that acts for that user."""
    name, _, key = user.partition("=")
    return User(url, name, key or None)


def send(url, user, text, count="1", status="201"):
    """Logs in words are accepted with that status; does not wait for results."""
    who = somebody(url, user)
    for _ in range(int(count)):
        log = who.log(text, int(status))
        same(log["status"], "processing" if status == "201" else "pending")


async def collect(url, user, count, status="completed"):
    """This many results are pending for the user, oldest first, each once; the next socket gets
    none."""
    who = somebody(url, user)
    async with who.connect() as phone:
        await connected(phone)
        frames = [await receive(phone) for _ in range(int(count))]
        same({frame["type"] for frame in frames}, {f"meal_log.{status}"} if frames else set())
        same(len({frame["data"]["id"] for frame in frames}), int(count))
        await silence(phone, 0.5)
    await nothing_left(who.connect, connected)


async def silent(url, user):
    """No result is pending for the user, and the user has no logs."""
    who = somebody(url, user)
    async with who.connect() as phone:
        await connected(phone)
        await silence(phone, 1)
    same(who.told("GET", LOGS, 200)["total_count"], 0)


def delete(url, user):
    """A log is deleted while it is processed."""
    who = somebody(url, user)
    log = who.log("2 eggs")
    who.told("DELETE", f"{LOGS}/{log['id']}", 204)
    who.told("GET", f"{LOGS}/{log['id']}", 404)


async def consult(url, user, text):
    """A message of a new consultation is accepted; the socket does not wait for the answer."""
    who = somebody(url, user)
    made = who.told("POST", "/api/v1/consultations", 201, json={})["consultation"]
    async with who.connect(f"/api/v1/consultations/{made['id']}/ws") as desk:
        await connected(desk)
        await desk.send(json.dumps({"type": "message", "content": text}))
        eventually(
            lambda: who.told("GET", LOGS, 200)["total_count"],
            lambda count: count == 1,
        )


async def answered(url, user, consultation, code):
    """The consultation's next socket gets an error once, and no other socket does."""
    who = somebody(url, user)
    place = f"/api/v1/consultations/{consultation}/ws"
    async with who.connect() as phone:
        await connected(phone)
        await silence(phone, 0.5)
    # The id in capitals, as Swift writes it.
    async with who.connect(place.replace(consultation, consultation.upper())) as desk:
        await connected(desk)
        same(error_of(await receive(desk)), code)
        await silence(desk, 0.5)
    await nothing_left(lambda: who.connect(place), connected)


async def away(url, other):
    """Results for an offline user are delivered in order to the first socket on any node."""
    ann = User(url, "ann")
    texts = ["2 eggs", "an apple", "xyz123 qqq", "a cup of coffee"] + ["100 g rice"] * 30
    logs = []
    for text in texts:
        log = ann.log(text)["id"]
        logs.append(log)
        # One after the other, so that their order is known.
        eventually(
            lambda: ann.told("GET", f"{LOGS}/{log}", 200)["status"],
            lambda status: status in {"completed", "failed"},
        )
    async with User(other, "ann").connect() as phone:
        await connected(phone)
        frames = [await receive(phone) for _ in texts]
        same([frame["data"]["id"] for frame in frames], logs)
        same(frames[2]["type"], "meal_log.failed")
        for frame in frames:
            if frame["type"] == "meal_log.completed":
                whole_log(frame["data"], "completed")
        await silence(phone, 0.5)
    for base in [url, other]:
        await nothing_left(User(base, "ann").connect, connected)
