"""The guide's samples, live: logs in words and by item, and their results on sockets."""

import asyncio
import contextlib

import websockets

from client import LIMIT, nothing_left, same, silence
from mealclient import (
    FAILED,
    LOGS,
    User,
    asked,
    connected,
    error_of,
    receive,
    result,
    shaped,
    whole_log,
)


async def samples(url):
    """Every sample of the client's guide is answered in the types that its models declare."""
    ann = User(url, "ann")
    async with ann.connect() as phone:
        frame = await connected(phone)
        same(frame["user_id"], "ann")
        same(frame["data"]["user_id"], "ann")
        for text, meal, moment, names in [
            ("2 scrambled eggs with cheese and whole wheat toast", "breakfast",
             "2024-01-15T08:30:00Z", ["egg", "cheese", "toast"]),
            ("apple", "snack", "2024-01-15T10:00:00Z", ["apple"]),
            ("chicken breast with rice and broccoli", "lunch", "2024-01-15T12:30:00Z",
             ["chicken", "rice", "broccoli"]),
        ]:  # fmt: skip
            log = whole_log(ann.log(text, meal_type=meal, logged_at=moment), "processing")
            same((log["raw_input"], log["meal_type"]), (text, meal))
            same((log["logged_at"], log["user_id"], log["items"]), (moment, "ann", []))
            assert isinstance(log["estimated_completion_seconds"], int), log
            frame = await result(phone, log["id"])
            same(frame["type"], "meal_log.completed")
            done = whole_log(frame["data"], "completed")
            found = " ".join(item["food_name"].lower() for item in done["items"])
            same((len(done["items"]), [n for n in names if n not in found]), (len(names), []))
            for key in ["processing_started_at", "processing_completed_at"]:
                assert done[key], done
            read = whole_log(ann.told("GET", f"{LOGS}/{log['id']}", 200), "completed")
            for key in done.keys() & read.keys():
                same((key, read[key]), (key, done[key]))
        log = ann.log("xyz123 invalid food", meal_type="lunch", logged_at="2024-01-15T12:30:00Z")
        frame = await result(phone, log["id"])
        same(frame["type"], "meal_log.failed")
        shaped(frame["data"], FAILED)
        same(frame["data"]["error_message"], "Unable to parse food items from input")
        for holder in [frame, frame["data"]]:
            if "error_code" in holder:
                same(holder["meal_log_id"], log["id"])
                same(holder["error"], "Unable to parse food items from input")
                same(holder["error_code"], "PARSING_FAILED")
                assert holder["suggestions"], holder
                break
        else:
            raise AssertionError(frame)
        same(ann.told("GET", f"{LOGS}/{log['id']}", 200)["status"], "failed")
        pong = await asked(phone, {"type": "ping"})
        same((pong["type"], pong["data"]), ("pong", None))
        await silence(phone, 0.3)
    page = ann.told("GET", LOGS, 200)
    same((page["total_count"], page["limit"], page["offset"], page["has_more"]), (4, 50, 0, False))
    times = [log["logged_at"] for log in page["meal_logs"]]
    same(times, sorted(times, reverse=True))
    one = ann.told("GET", LOGS, 200, params={"status": "failed"})
    same([log["id"] for log in one["meal_logs"]], [log["id"]])
    day = {"start_date": "2024-01-15", "end_date": "2024-01-15", "limit": "3"}
    page = ann.told("GET", LOGS, 200, params=day)
    same((page["total_count"], len(page["meal_logs"]), page["has_more"]), (4, 3, True))
    page = ann.told("GET", LOGS, 200, params={**day, "offset": "3"})
    same((len(page["meal_logs"]), page["has_more"]), (1, False))
    snack = ann.told("GET", LOGS, 200, params={"meal_type": "snack"})
    same([log["raw_input"] for log in snack["meal_logs"]], ["apple"])
    same(User(url, "bob").told("GET", LOGS, 200)["total_count"], 0)


def item(name, **more):
    return {
        "food_name": name, "quantity": 1, "unit": "medium", "calories": 95, "protein_g": 0.5,
        "carbs_g": 25, "fat_g": 0.3, **more,
    }  # fmt: skip


async def batch(url):
    """A meal by item has its totals at once; it can be changed and deleted."""
    ann = User(url, "ann")
    async with ann.connect() as phone:
        await connected(phone)
        first = [item("Apple"), item("Tea", food_type="drink", calories=2, fiber_g=0, sugar_g=0.1)]
        body = {"meal_type": "snack", "logged_at": "2024-01-15T10:00:00.5+02:00", "items": first}
        log = whole_log(ann.told("POST", LOGS + "/batch", 201, json=body), "completed")
        same(log["raw_input"], "1 medium Apple, 1 medium Tea")
        same(log["logged_at"], "2024-01-15T08:00:00Z")
        assert log["confidence_score"] is None and log["total_calories"] == 97, log
        same((log["total_fiber_g"], log["total_sugar_g"]), (0, 0.1))
        assert all(one["confidence_score"] is None for one in log["items"]), log
        place = f"{LOGS}/{log['id']}"
        changed = ann.told("PUT", place, 200, json={"items": [item("Pear", calories=100)]})
        whole_log(changed, "completed")
        same((changed["total_calories"], changed["total_sugar_g"]), (100, None))
        same(changed["raw_input"], "1 medium Pear")
        page = ann.told("GET", LOGS, 200)
        same([one["raw_input"] for one in page["meal_logs"]], ["1 medium Pear"])
        same(whole_log(ann.told("GET", place, 200), "completed")["items"], changed["items"])
        ann.told("DELETE", place, 204)
        for method in ["GET", "DELETE"]:
            same(ann.told(method, place, 404)["code"], "NOT_FOUND")
        await silence(phone, 0.3)


async def consultation(url):
    """Meals may be sent on the socket of a consultation; other texts are answered with an error."""
    ann = User(url, "ann")
    made = ann.told("POST", "/api/v1/consultations", 201, json={})["consultation"]
    place = f"/api/v1/consultations/{made['id']}/ws"
    async with ann.connect(place) as desk, ann.connect() as phone:
        frame = await connected(desk)
        same(frame["consultation_id"], made["id"])
        same(frame["data"]["consultation_id"], made["id"])
        await connected(phone)
        frame = await asked(desk, {"type": "message", "content": "2 eggs and a banana"})
        same(frame["type"], "meal_log.completed")
        log = whole_log(frame["data"], "completed")
        same(len(log["items"]), 2)
        await result(phone, log["id"])
        same(ann.told("GET", f"{LOGS}/{log['id']}", 200)["raw_input"], "2 eggs and a banana")
        enveloped = {
            "type": "message", "data": {"content": "an apple", "meal_type": "snack"},
            "timestamp": "2024-01-15T12:30:05Z",
        }  # fmt: skip
        log = whole_log((await asked(desk, enveloped))["data"], "completed")
        same((log["raw_input"], log["meal_type"]), ("an apple", "snack"))
        await result(phone, log["id"])
        frame = await asked(desk, {"type": "message", "content": "zzqx vvkt"})
        same(error_of(frame), "PARSING_FAILED")
        for frame in [
            "{", "[]", "7", '"ping"', "{}", {"type": 7}, {"type": "dance"}, {"type": "message"},
            {"type": "message", "content": ""}, {"type": "message", "content": 7},
            {"type": "message", "content": "x" * 1001}, {"type": "message", "data": "2 eggs"},
        ]:  # fmt: skip
            error_of(await asked(desk, frame))
        error_of(await asked(phone, {"type": "message", "content": "2 eggs"}))
        same((await asked(desk, '{"type":"ping"}'))["type"], "pong")
        # Only the meal was logged.
        same(ann.told("GET", LOGS, 200)["total_count"], 2)
        await silence(phone, 0.3)
        await silence(desk, 0.1)


async def nodes(url, other):
    """Results reach all of a user's sockets on two nodes, each once, and no other user's."""
    here, there = User(url, "ann"), User(other, "ann")
    async with contextlib.AsyncExitStack() as stack:
        sockets = [
            await stack.enter_async_context(user.connect()) for user in [here, here, there, there]
        ]
        stranger = await stack.enter_async_context(User(other, "bob").connect())
        for open_socket in [*sockets, stranger]:
            await connected(open_socket)
        logs = [user.log(f"{n + 1} eggs")["id"] for n in range(10) for user in [here, there]]
        for open_socket in sockets:
            seen = [(await receive(open_socket))["data"]["id"] for _ in logs]
            same(sorted(seen), sorted(logs))
        for open_socket in [*sockets, stranger]:
            await silence(open_socket, 0.2)
    # Delivered results are not pending for the next socket.
    for user in [here, there]:
        await nothing_left(user.connect, connected)


async def idle(url):
    """An idle socket is closed with 1000; one that pings is not."""
    ann = User(url, "ann")
    async with ann.connect() as quiet, ann.connect() as busy:
        await connected(quiet)
        await connected(busy)
        for _ in range(8):
            await asyncio.sleep(0.8)
            same((await asked(busy, {"type": "ping"}))["type"], "pong")
        with contextlib.suppress(websockets.ConnectionClosed):
            await asyncio.wait_for(quiet.recv(), LIMIT)
        same(quiet.close_code, 1000)
