"""Clients that write while the server is stopped, and clients that check the result."""

import hashlib
import json
import pathlib
import random
import socket
import threading
import time

import requests

from client import LIMIT, same
from entries import base, post
from recordings import made


def content(number):
    """A unique picture; what is behind its end would not be kept."""
    picture = made("jpg")
    return picture[:-2] + b"%d" % number + bytes(200_000) + picture[-2:]


def write(url, place, user="kim"):
    """Writes moods until the server is gone; records the acknowledged ones in `place`."""
    written = []

    def one(start):
        for number in range(start, start + 1000):
            files = [("file", (f"{number}-{i}.jpg", content(10 * number + i))) for i in range(3)]
            try:
                answer = post(url, "moods", {"mood": str(number)}, files, user)
            except requests.ConnectionError:
                return
            same(answer.status_code, 200)
            same(answer.json()["errors"], None)
            written.append([number, answer.json()["mood"]["id"], answer.json()["imageUrls"]])

    threads = [threading.Thread(target=one, args=(10_000 * n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pathlib.Path(place).write_text(json.dumps(written))


def check(url, place, user="kim"):
    """All acknowledged records exist, and every record has all its files, byte for byte."""
    port = url.rsplit(":", 1)[1]
    answered = {}
    if pathlib.Path(place).exists():
        answered = {number: identity for number, identity, _ in json.loads(
            pathlib.Path(place).read_text())}
    found = {}
    offset = 0
    while True:
        page = requests.get(
            f"{base(url, user)}/moods", params={"limit": 100, "offset": offset}, timeout=LIMIT
        ).json()
        for mood in page["moods"]:
            number = int(mood["mood"])
            found[number] = mood["id"]
            same(len(mood["imageUrls"]), 3)
            for i, place_ in enumerate(mood["imageUrls"]):
                got = requests.get(place_, timeout=LIMIT)
                same(got.status_code, 200)
                same(
                    hashlib.sha256(got.content).hexdigest(),
                    hashlib.sha256(content(10 * number + i)).hexdigest(),
                )
                assert f":{port}/" in place_, place_
        offset += 100
        if not page["hasMore"]:
            break
    for number, identity in answered.items():
        same(found.get(number), identity)
    print(f"{len(answered)} answered, {len(found)} found")


def half(url):
    """Sends a form with one complete file and most of another, and waits for the end."""
    host, port = url.split("//")[1].split(":")
    head = (
        b'--b\r\nContent-Disposition: form-data; name="mood"\r\n\r\nm\r\n'
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n'
    )
    first = head + content(1) + b"\r\n"
    second = b'--b\r\nContent-Disposition: form-data; name="file"; filename="b.jpg"\r\n\r\n'
    body = first + second + content(2)
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(
            f"POST /api/users/user/kim/moods/swift HTTP/1.1\r\nHost: {host}:{port}\r\n"
            f"Content-Type: multipart/form-data; boundary=b\r\n"
            f"Content-Length: {len(body) + 1000}\r\n\r\n".encode()
        )
        connection.sendall(body[: len(first) + len(second) + 190_000])
        try:
            assert connection.recv(1000) == b"", "an answer to half a form"
        except ConnectionResetError:
            pass
