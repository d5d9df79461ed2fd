"""Access rights for the routes of meal logs, by credentials."""

import json

import requests
import websockets

from callers import token_of
from client import LIMIT, same
from mealclient import LOGS, User, connected, error_of, receive, result


async def opens(user, path="/ws/meal-logs", as_query=False):
    """The status of an upgrade, or the code of the error that closes the socket."""
    try:
        async with user.connect(path, as_query) as open_socket:
            frame = await receive(open_socket)
            if frame["type"] == "connected":
                return 101
            code = error_of(frame)
            same(frame["data"]["error"], "Authentication failed")
            await open_socket.wait_closed()
            same(open_socket.close_code, 1008)
            return code
    except websockets.InvalidStatus as refusal:
        body = json.loads(refusal.response.body)
        assert {"message", "code"} <= body["error"].keys(), body
        return refusal.response.status_code


async def access(url, secret, key):
    """A token gives access to its user's logs, a key to those of the user that it names, and
    nothing else does."""
    ann, bob = (User(url, token=token_of(secret, name)) for name in ["ann", "bob"])
    none, wrong = User(url), User(url, token="wrong")
    keyed, unnamed = User(url, "ann", key), User(url, token=key)
    log = ann.log("2 eggs")
    same(log["user_id"], "ann")
    food = {"name": "Stew", "calories": 90, "protein_g": 5, "carbs_g": 8, "fat_g": 4}
    mine = ann.told("POST", "/api/v1/user-foods", 201, json=food)
    body = {"raw_input": "2 eggs", "meal_type": "lunch"}
    items = [{"food_name": "Egg", "quantity": 1, "unit": "large", "calories": 72, "protein_g": 6,
              "carbs_g": 0, "fat_g": 5}]  # fmt: skip
    calls = [
        ("POST", LOGS + "/natural", body), ("GET", LOGS, None), ("GET", f"{LOGS}/{log['id']}", None),
        ("POST", LOGS + "/batch", {"meal_type": "lunch", "items": items}),
        ("PUT", f"{LOGS}/{log['id']}", {"items": items}), ("DELETE", f"{LOGS}/{log['id']}", None),
        ("POST", "/api/v1/consultations", {}), ("GET", "/api/v1/foods?q=egg", None),
        ("GET", "/api/v1/user-foods", None), ("POST", "/api/v1/user-foods", food),
        ("GET", f"/api/v1/user-foods/{mine['id']}", None),
        ("DELETE", f"/api/v1/user-foods/{mine['id']}", None),
    ]  # fmt: skip
    for method, path, content in calls:
        for caller in [none, wrong]:
            answer = caller.ask(method, path, json=content)
            same((method, path, answer.status_code), (method, path, 401))
            same(answer.headers["WWW-Authenticate"], "Bearer, X-API-Key")
            same(answer.json()["error"]["code"], "UNAUTHORIZED")
        error = unnamed.told(method, path, 400, json=content)
        same((error["code"], error["field"]), ("VALIDATION_ERROR", "user_id"))
        if log["id"] in path or mine["id"] in path:
            same(bob.told(method, path, 403, json=content)["code"], "FORBIDDEN")
    same(ann.told("GET", LOGS, 403, params={"user_id": "bob"})["code"], "FORBIDDEN")
    same(keyed.told("GET", f"{LOGS}/{log['id']}", 200)["id"], log["id"])
    same(bob.told("GET", LOGS, 200)["total_count"], 0)

    for as_query in [False, True]:
        found = [await opens(who, as_query=as_query) for who in [none, wrong, ann, bob, keyed]]
        same(found, ["AUTH_ERROR", "AUTH_ERROR", 101, 101, 101])
        same(await opens(unnamed, as_query=as_query), 400)
        made = ann.told("POST", "/api/v1/consultations", 201, json={})["consultation"]
        place = f"/api/v1/consultations/{made['id']}/ws"
        found = [await opens(who, place, as_query) for who in [none, wrong, ann, bob, keyed]]
        # Another user's consultation is as unknown as one that does not exist.
        same(found, ["AUTH_ERROR", "AUTH_ERROR", 101, 404, 101])
        for unknown in ["00000000-0000-4000-8000-000000000000", "none", "%00"]:
            place = f"/api/v1/consultations/{unknown}/ws"
            same(await opens(ann, place, as_query), 404)
            same(await opens(wrong, place, as_query), "AUTH_ERROR")
    # A plain HTTP request for a socket's path is answered with 426. Tokens in the URL are only
    # for sockets.
    plain = requests.get(url + "/ws/meal-logs", timeout=LIMIT)
    same((plain.status_code, plain.json()["error"]["code"]), (426, "UPGRADE_REQUIRED"))
    same(requests.get(f"{url}{LOGS}?token={key}&user_id=ann", timeout=LIMIT).status_code, 401)


async def expires(url, secret):
    """A socket is closed when its token expires, and requests fail; later results go to a new
    socket."""
    # Servers allow clocks to differ by thirty seconds.
    ann = User(url, token=token_of(secret, "ann", seconds=-10))
    fresh = User(url, token=token_of(secret, "ann"))
    async with ann.connect() as phone, fresh.connect() as other:
        await connected(phone)
        await connected(other)
        try:
            while True:
                same(error_of(await receive(phone)), "AUTH_ERROR")
        except websockets.ConnectionClosed:
            same((phone.close_code, phone.close_reason), (1008, "the token has expired"))
        same(ann.told("GET", LOGS, 401)["code"], "UNAUTHORIZED")
        same(await opens(ann), "AUTH_ERROR")
        log = fresh.log("2 eggs")["id"]
        await result(other, log)


async def trusting(url, secret):
    """Meal logs belong to the token's user and need a token, even if other apps need none."""
    users = [User(url, token=token_of(secret, name)) for name in ["ann", "bob"]]
    for user, name in zip(users, ["ann", "bob"]):
        same(user.log("2 eggs")["user_id"], name)
        same(user.told("GET", LOGS, 200)["total_count"], 1)
        async with user.connect() as phone:
            same((await connected(phone))["user_id"], name)
    for caller in [User(url), User(url, "ann"), User(url, token="wrong")]:
        same(caller.told("GET", LOGS, 401)["code"], "UNAUTHORIZED")
        same(await opens(caller), "AUTH_ERROR")


async def unnamed(url):
    """Where no credentials are needed, callers that name no user share one place."""
    anybody, ann = User(url), User(url, "ann")
    log = anybody.log("2 eggs")
    same(anybody.told("GET", LOGS, 200)["total_count"], 1)
    same(ann.told("GET", LOGS, 200)["total_count"], 0)
    same(ann.told("GET", f"{LOGS}/{log['id']}", 403)["code"], "FORBIDDEN")
    same(User(url, log["user_id"]).told("GET", f"{LOGS}/{log['id']}", 200)["id"], log["id"])
    async with anybody.connect() as phone:
        same((await connected(phone))["user_id"], log["user_id"])
    for name in ["x" * 129, "a\nb"]:
        error = User(url, name).told("GET", LOGS, 400)
        same((error["code"], error["field"]), ("VALIDATION_ERROR", "user_id"))
