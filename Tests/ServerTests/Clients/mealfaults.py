"""Invalid requests, each answered with its fault, and a user's own foods."""

import json

import requests

from client import LIMIT, eventually, same
from mealclient import LOGS, User, shaped
from mealframes import item


def faults(url):
    """Every invalid request gets its status and code, with the field named, and nothing is
    stored."""
    ann = User(url, "ann")
    good = {"raw_input": "2 eggs", "meal_type": "lunch"}
    natural = [
        ("raw_input", {**good, "raw_input": None}), ("raw_input", {"meal_type": "lunch"}),
        ("raw_input", {**good, "raw_input": ""}), ("raw_input", {**good, "raw_input": " \n "}),
        ("raw_input", {**good, "raw_input": "x" * 1001}), ("raw_input", {**good, "raw_input": 7}),
        ("raw_input", {**good, "raw_input": "a\0b"}), ("meal_type", {"raw_input": "2 eggs"}),
        ("meal_type", {**good, "meal_type": "brunch"}), ("meal_type", {**good, "meal_type": 1}),
        ("meal_type", {**good, "meal_type": "Lunch"}), ("meal_type", {**good, "meal_type": None}),
        ("logged_at", {**good, "logged_at": "yesterday"}), ("logged_at", {**good, "logged_at": 7}),
        ("logged_at", {**good, "logged_at": "2024-02-30T10:00:00Z"}),
        ("logged_at", {**good, "logged_at": "3024-01-15T10:00:00Z"}),
        ("logged_at", {**good, "logged_at": "0001-01-01T00:00:00Z"}),
    ]  # fmt: skip
    for field, body in natural:
        refused(ann, "POST", LOGS + "/natural", field, json=body)
    whole = {"meal_type": "snack", "items": [item("Apple")]}
    kinds = [
        ("items", {**whole, "items": []}), ("items", {"meal_type": "snack"}),
        ("items", {**whole, "items": {}}), ("items", {**whole, "items": [item("Apple")] * 1000}),
        ("items[0]", {**whole, "items": [7]}), ("meal_type", {"items": [item("Apple")]}),
        ("logged_at", {**whole, "logged_at": "now"}),
    ]  # fmt: skip
    for key, value in [
        ("food_name", None), ("food_name", ""), ("food_name", "x" * 201), ("food_name", 7),
        ("quantity", 0), ("quantity", -1), ("quantity", "2"), ("quantity", None), ("unit", ""),
        ("calories", -1), ("calories", 1e9), ("protein_g", -0.1), ("carbs_g", None),
        ("fat_g", "much"), ("fiber_g", -1), ("sugar_g", 1e308), ("food_type", "soup"),
        ("food_id", "none"), ("order_index", -1),
    ]:  # fmt: skip
        items = [item("Apple"), item("Pear", **{key: value})]
        kinds.append((f"items[1].{key}", {**whole, "items": items}))
    log = ann.told("POST", LOGS + "/batch", 201, json=whole)
    for field, body in kinds:
        refused(ann, "POST", LOGS + "/batch", field, json=body)
        if field != "meal_type":
            refused(ann, "PUT", f"{LOGS}/{log['id']}", field, json=body)
    for text in ["NaN", "Infinity", "-Infinity", "1e999"]:
        body = json.dumps(whole).replace("95", text)
        answer = raw(ann, LOGS + "/batch", body)
        same((text, answer.status_code), (text, 400))
    for text in ["", "{", "[]", "7", '"x"', "nul", '{"raw_input":"a","raw_input":"b"}', "\ufeff{}"]:
        answer = raw(ann, LOGS + "/natural", text)
        same((text, answer.status_code), (text, 400))
        assert answer.json()["error"]["code"] in {"VALIDATION_ERROR", "INVALID_JSON"}, answer.text
    same(raw(ann, LOGS + "/natural", b'{"raw_input":"\xff"}').status_code, 400)
    for query in [
        {"status": "done"}, {"meal_type": "brunch"}, {"limit": "0"}, {"limit": "101"},
        {"limit": "x"}, {"offset": "-1"}, {"start_date": "soon"}, {"end_date": "2024-13-01"},
        {"from": "x"}, {"to": "x"}, {"page": "0"},
    ]:  # fmt: skip
        refused(ann, "GET", LOGS, next(iter(query)), params=query)
    same(ann.told("GET", LOGS, 200)["total_count"], 1)

    for method, path, allowed in [
        ("GET", LOGS + "/natural", "POST"), ("DELETE", LOGS + "/batch", "POST"),
        ("POST", LOGS, "GET, HEAD"), ("PUT", LOGS, "GET, HEAD"),
        ("POST", f"{LOGS}/{log['id']}", "GET, HEAD, PUT, PATCH, DELETE"),
        ("GET", "/api/v1/consultations", "POST"), ("POST", "/api/v1/foods", "GET, HEAD"),
        ("PATCH", "/api/v1/user-foods", "GET, HEAD, POST"),
    ]:  # fmt: skip
        answer = ann.ask(method, path, json={})
        same((method, path, answer.status_code), (method, path, 405))
        same(answer.headers["Allow"], allowed)
        same(answer.json()["error"]["code"], "METHOD_NOT_ALLOWED")
    others = ["/api/v1/nothing", "/api/v1/user-foods/7"]
    for path in [f"{LOGS}/none", f"{LOGS}/%00", f"{LOGS}/a/b", *others]:
        same(ann.told("GET", path, 404)["code"], "NOT_FOUND")
    text = json.dumps(good)
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]:
        answer = raw(ann, LOGS + "/natural", text, **{"Content-Type": kind})
        same((answer.status_code, answer.json()["error"]["code"]), (415, "UNSUPPORTED_MEDIA_TYPE"))
    answer = raw(ann, LOGS + "/natural", text, **{"Content-Encoding": "gzip"})
    same(answer.status_code, 415)
    for body in [" " * 2_000_000 + text, iter([b" " * 65536] * 32)]:
        answer = raw(ann, LOGS + "/natural", body)
        same((answer.status_code, answer.json()["error"]["code"]), (413, "PAYLOAD_TOO_LARGE"))


def refused(user, method, path, field, **options):
    error = user.told(method, path, 400, **options)
    same((field, error["code"]), (field, "VALIDATION_ERROR"))
    same(error["field"], field)
    assert field in error["message"], (field, error)


def raw(user, path, body, **fields):
    """Posts bytes unchanged."""
    data = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": "application/json", **fields}
    return requests.post(
        f"{user.url}{path}?user_id={user.name}", data=data, headers=headers, timeout=LIMIT
    )


def foods(url):
    """A user's own food can be created, found, changed and deleted, and wins over common foods."""
    ann, bob = User(url, "ann"), User(url, "bob")
    found = ann.told("GET", "/api/v1/foods", 200, params={"q": "chicken breast"})["foods"]
    assert any("chicken" in food["name"].lower() for food in found), found
    stew = {
        "name": "Grandma's stew", "calories": 123, "protein_g": 7.5, "carbs_g": 8, "fat_g": 4,
        "units": [{"name": "bowl", "grams": 300}],
    }  # fmt: skip
    made = ann.told("POST", "/api/v1/user-foods", 201, json=stew)
    shaped(made, {"id": str, "name": str})
    place = f"/api/v1/user-foods/{made['id']}"
    same(ann.told("GET", place, 200), made)
    error = ann.told("POST", "/api/v1/user-foods", 409, json=stew)
    same(error["code"], "NAME_TAKEN")
    bob.told("POST", "/api/v1/user-foods", 201, json=stew)

    def names(user, query):
        page = user.told("GET", "/api/v1/user-foods", 200, params=query)
        return [food["name"] for food in page["user_foods"]]

    same(names(ann, {"q": "stew"}), ["Grandma's stew"])
    same(names(ann, {"q": "pizza"}), [])
    log = ann.log("a bowl of grandma's stew")["id"]
    done = eventually(
        lambda: ann.told("GET", f"{LOGS}/{log}", 200), lambda one: one["status"] == "completed"
    )
    same([one["user_food_id"] for one in done["items"]], [made["id"]])
    same(done["total_calories"], 369)
    changed = ann.told("PUT", place, 200, json={**stew, "name": "Stew of grandma", "calories": 150})
    same((changed["name"], changed["id"]), ("Stew of grandma", made["id"]))
    for field, value in [
        ("name", ""), ("name", None), ("calories", -1), ("protein_g", "x"), ("fat_g", 1000),
        ("food_type", "soup"),
    ]:  # fmt: skip
        refused(ann, "POST", "/api/v1/user-foods", field, json={**stew, field: value})
        refused(ann, "PUT", place, field, json={**stew, field: value})
    for method in ["GET", "PUT", "DELETE"]:
        same(bob.told(method, place, 403, json=stew)["code"], "FORBIDDEN")
    ann.told("DELETE", place, 204)
    ann.told("GET", place, 404)
    same(names(ann, {}), [])
