"""Helpers of all scenarios of meal logs: requests over HTTP and over a socket."""

import asyncio
import json
import re

import requests
import websockets

from client import LIMIT, same

LOGS = "/api/v1/meal-logs"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

NUMBER = (int, float)
NONE = type(None)
# The fields that a client's models declare: their names and types.
LOG = {
    "id": str, "user_id": str, "raw_input": str, "meal_type": str, "status": str,
    "total_calories": (int, NONE), "total_protein_g": (*NUMBER, NONE),
    "total_carbs_g": (*NUMBER, NONE), "total_fat_g": (*NUMBER, NONE),
    "total_fiber_g": (*NUMBER, NONE), "total_sugar_g": (*NUMBER, NONE), "logged_at": TIME,
    "created_at": TIME, "updated_at": TIME, "items": list,
}  # fmt: skip
ITEM = {
    "id": str, "meal_log_id": str, "food_id": (str, NONE), "user_food_id": (str, NONE),
    "food_name": str, "quantity": NUMBER, "unit": str, "calories": int, "protein_g": NUMBER,
    "carbs_g": NUMBER, "fat_g": NUMBER, "fiber_g": (*NUMBER, NONE), "sugar_g": (*NUMBER, NONE),
    "confidence_score": (*NUMBER, NONE), "parsing_notes": (str, NONE), "order_index": int,
    "created_at": TIME, "food_type": str,
}  # fmt: skip
FAILED = {
    "id": str, "user_id": str, "raw_input": str, "meal_type": str, "status": str,
    "error_message": str, "logged_at": TIME, "created_at": TIME, "updated_at": TIME,
}  # fmt: skip


def shaped(found, shape, place=""):
    for key, kind in shape.items():
        assert key in found, (place, key, found)
        value = found[key]
        if kind is TIME:
            assert isinstance(value, str) and TIME.fullmatch(value), (place, key, value)
        else:
            assert isinstance(value, kind) and not isinstance(value, bool), (place, key, value)


def whole_log(log, status):
    """A log as the contract describes it; the totals of a completed log are the sums of its
    items."""
    shaped(log, LOG)
    same(log["status"], status)
    assert UUID.fullmatch(log["id"]), log["id"]
    for place, item in enumerate(log["items"]):
        shaped(item, ITEM, place)
        same((item["order_index"], item["meal_log_id"]), (place, log["id"]))
        assert item["food_type"] in {"food", "drink", "water"}, item
    if status == "completed":
        items = log["items"]
        same(log["total_calories"], sum(item["calories"] for item in items))
        for name in "protein carbs fat fiber sugar".split():
            known = [item[f"{name}_g"] for item in items if item[f"{name}_g"] is not None]
            wanted = round(sum(known), 1) if known else None
            same((name, log[f"total_{name}_g"]), (name, wanted))
    return log


class User:
    """A caller: with a token, or by name where no credentials are needed."""

    def __init__(self, url, name=None, token=None):
        self.url, self.name, self.token = url, name, token
        self.session = requests.Session()

    @property
    def fields(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def ask(self, method, path, **options):
        query = {"user_id": self.name} if self.name else {}
        query.update(options.pop("params", {}))
        headers = {**self.fields, **options.pop("headers", {})}
        return self.session.request(
            method, self.url + path, params=query, headers=headers, timeout=LIMIT, **options
        )

    def told(self, method, path, status, **options):
        """The data of an answer with that status, or its error."""
        answer = self.ask(method, path, **options)
        assert answer.status_code == status, (method, path, answer.status_code, answer.text)
        if status == 204:
            same(answer.content, b"")
            return None
        assert answer.headers["Content-Type"].startswith("application/json"), answer.headers
        body = answer.json()
        if status >= 400:
            same(set(body), {"error"})
            assert {"message", "code"} <= body["error"].keys(), body
            assert body["error"]["message"] and body["error"]["code"].isupper(), body
            return body["error"]
        same(set(body), {"data"})
        return body["data"]

    def log(self, text, status=201, **more):
        body = {"raw_input": text, "meal_type": "breakfast", **more}
        answer = self.ask("POST", LOGS + "/natural", json=body)
        assert answer.status_code == status, (answer.status_code, answer.text)
        durability = {201: "committed", 202: "spooled"}.get(status)
        same(answer.headers.get("X-Durability"), durability)
        return answer.json()["data"]

    def connect(self, path="/ws/meal-logs", as_query=False, **options):
        query = [f"user_id={self.name}"] if self.name else []
        if as_query and self.token:
            query.append(f"token={self.token}")
        url = self.url.replace("http", "ws", 1) + path + ("?" + "&".join(query) if query else "")
        fields = {} if as_query else self.fields
        return websockets.connect(url, additional_headers=fields, open_timeout=LIMIT, **options)


async def receive(open_socket, seconds=LIMIT):
    text = await asyncio.wait_for(open_socket.recv(), seconds)
    assert isinstance(text, str), text
    frame = json.loads(text)
    shaped(frame, {"type": str, "timestamp": TIME})
    assert "data" in frame, frame
    # For the Swift test, which reads standard output.
    print("frame " + text, flush=True)
    return frame


async def connected(open_socket):
    frame = await receive(open_socket)
    same(frame["type"], "connected")
    shaped(frame["data"], {"timestamp": TIME})
    return frame


async def result(open_socket, log):
    """The next frame is the result of that log."""
    frame = await receive(open_socket)
    assert frame["type"] in {"meal_log.completed", "meal_log.failed"}, frame
    same(frame["data"]["id"], log)
    return frame


async def asked(open_socket, frame):
    await open_socket.send(frame if isinstance(frame, str) else json.dumps(frame))
    return await receive(open_socket)


def error_of(frame):
    """The code of an error frame, whose keys occur twice."""
    same(frame["type"], "error")
    shaped(frame["data"], {"error": str, "code": str})
    same((frame["error"], frame["code"]), (frame["data"]["error"], frame["data"]["code"]))
    return frame["code"]
