"""Files: the routes /upload and /media."""

import contextlib
import json
import socket

import requests

from client import LIMIT, m4a, png, same


def media(url):
    """An uploaded file is returned byte for byte and in ranges, and with 304 if its tag is known."""
    body = png()
    place = requests.post(
        url + "/upload/media-1",
        files={"file": ("x.jpg", body)},
        data={"note": "text"},
        timeout=LIMIT,
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

    # The same content again is the same file. Other content may belong to somebody else, so it
    # replaces nothing.
    def upload(content):
        form = {"file": ("x.jpg", content)}
        return requests.post(url + "/upload/media-1", files=form, timeout=LIMIT).json()["url"]

    other = body + b"more"
    same(upload(body), place)
    again = upload(other)
    assert again != place, again
    same(requests.get(again, timeout=LIMIT).content, other)
    same(get(If_None_Match=tag).status_code, 304)
    for path in ["/media/memories/none/photo.jpg", "/media/../../etc/passwd", "/media/%2e%2e/x"]:
        answer = requests.Request("GET", url + path).prepare()
        answer.url = url + path
        same(requests.Session().send(answer, timeout=LIMIT).status_code, 404)


def raw(url, head, body=b"", half=False):
    """Sends bytes unchanged; returns status and body."""
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
    """Invalid uploads get a clear error, and nothing of them is stored."""

    def head(identity, length, kind="multipart/form-data; boundary=b"):
        return (
            f"POST /upload/{identity} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
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
    """A file is served with its detected type, whatever its part claims."""
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
