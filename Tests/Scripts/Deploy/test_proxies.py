"""nginx and Caddy, with the example's configuration between a client and the server."""

import concurrent.futures
import contextlib
import datetime
import json
import os
import re
import ssl

import load
import pytest
from programs import DEPLOY, ask, free_port, run, running, until
from proxies import AWAY, nginx_command, replaced

CADDY = DEPLOY / "proxies/Caddyfile"
NOW = datetime.datetime.now(datetime.timezone.utc)


def unverified():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


@pytest.fixture(scope="module")
def nginx(tmp_path_factory, server):
    place = tmp_path_factory.mktemp("nginx")
    run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "1", "-subj", "/CN=localhost", "-keyout", place / "key", "-out", place / "cert")
    plain, secure = free_port(), free_port()
    command = nginx_command(
        place,
        ("listen 80 default", f"listen 127.0.0.1:{plain} default"),
        ("listen 443 ssl", f"listen 127.0.0.1:{secure} ssl"),
        ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
        ("/etc/nginx/tls/sluice.pem", place / "cert"),
        ("/etc/nginx/tls/sluice.key", place / "key"))
    run(*command, "-t")
    with running(command, place / "log") as program:
        base = f"https://127.0.0.1:{secure}"
        program.until(lambda: ask(base + "/health", context=unverified())[0] == 200, "serving")
        yield {"base": base, "plain": f"http://127.0.0.1:{plain}", "log": place / "access.log"}


@contextlib.contextmanager
def running_caddy(place, node):
    """Caddy's address and log; it runs with the example's settings before a server on that port."""
    port = free_port()
    text = replaced(
        CADDY.read_text(),
        ("\nsluice.example.com {", f"\nhttps://localhost:{port} {{\n\ttls internal"),
        ("127.0.0.1:8080", f"127.0.0.1:{node}"),
        ("\n{\n", "\n{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n"))
    file = place / "Caddyfile"
    file.write_text(text)
    home = {"HOME": str(place), "XDG_DATA_HOME": str(place), "XDG_CONFIG_HOME": str(place)}
    run("caddy", "validate", "--adapter", "caddyfile", "--config", CADDY, env=os.environ | home)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", file]
    with running(command, place / "log", home) as program:
        base = f"https://localhost:{port}"
        program.until(lambda: ask(base + "/metrics", context=unverified()), "serving")
        yield base, place / "log"


@pytest.fixture(scope="module")
def caddy(tmp_path_factory, server):
    with running_caddy(tmp_path_factory.mktemp("caddy"), server.port) as (base, log):
        until(lambda: ask(base + "/health", context=unverified())[0] == 200, "healthy")
        yield {"base": base, "log": log}


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request):
    return request.getfixturevalue(request.param)


def test_caddy_finds_its_file_well_formatted():
    assert run("caddy", "fmt", CADDY).stdout == CADDY.read_text()


def test_batches_uploads_and_sockets_come_through(proxy, server):
    base, context = proxy["base"], unverified()
    for number in range(20):
        status, _ = server.ingest(load.batch(number, NOW), base, context)
        assert status in (200, 202)
    content = os.urandom(63 << 20)
    # The upload names no user, so it would not replace a file of an earlier test with the same
    # name.
    large = f"large-{os.urandom(4).hex()}"
    status, body, _ = server.upload(large, content, base, context)
    assert status == 200, body
    # An upgrade would fail on a proxy's connection that has been used for requests.
    for number in range(5):
        name = f"{number}-{os.urandom(4).hex()}"
        answer = load.capture(server, name, base, ssl=context)
        assert answer["type"] == "ack", answer
    status, body, _ = ask(
        f"{base}/media/memories/{large}/photo.jpg",
        headers={"Authorization": f"Bearer {server.APP_KEY}"}, context=context)
    assert status == 200 and body == content


def send(base, path, kind, size, server, directory):
    """Answer, status and bytes sent by curl. curl asks first (Expect: 100-continue), and reads an
    answer that arrives while it is sending."""
    body = directory / "body"
    with open(body, "wb") as file:
        file.truncate(size)
    done = run(
        "curl", "--silent", "--show-error", "--insecure", "--http1.1", "--request", "POST",
        "--upload-file", body, "--header", f"X-API-Key: {server.KEY}", "--header",
        f"Authorization: Bearer {server.APP_KEY}", "--header", f"Content-Type: {kind}",
        "--write-out", " %{http_code} %{size_upload}", base + path)
    answer, status, sent = done.stdout.rsplit(" ", 2)
    return json.loads(answer), int(status), int(sent)


@pytest.mark.parametrize("path, kind, size, keys", [
    ("/ingest", "application/json", 17 << 20, ["detail"]),
    ("/upload/too-large", "multipart/form-data; boundary=a", 90 << 20, ["status", "error"]),
    ("/api/users/user/po/moods/swift", "multipart/form-data; boundary=a", 900 << 20,
     ["error", "details", "code"]),
])
def test_a_body_that_is_too_large_is_refused_by_the_server(
    nginx, server, tmp_path, path, kind, size, keys
):
    answer, status, _ = send(nginx["base"], path, kind, size, server, tmp_path)
    assert status == 413 and list(answer) == keys


def test_caddy_passes_the_question_on_whether_the_body_is_wanted(caddy, server, tmp_path):
    for _ in range(10):
        answer, status, sent = send(
            caddy["base"], "/ingest", "application/json", 17 << 20, server, tmp_path)
        assert status == 413 and sent == 0 and list(answer) == ["detail"]


@pytest.mark.parametrize("is_direct", [True, False])
def test_who_sends_all_before_reading_gets_the_413_too(nginx, server, is_direct):
    """The server discards the rest of the body, and so does nginx. Caddy gives a client half a
    second."""
    status, body, _ = ask(
        (server.url if is_direct else nginx["base"]) + "/ingest", bytes(40 << 20),
        {"X-API-Key": server.KEY, "Content-Type": "application/json"}, context=unverified())
    assert status == 413 and b'"detail"' in body


def test_caddy_says_itself_that_nobody_is_there(tmp_path):
    """Each system's error format, as with nginx (Tests/Scripts/Nodes)."""
    with running_caddy(tmp_path, free_port()) as (base, _):
        def asked(path):
            return ask(base + path, b"{}", context=unverified())

        with concurrent.futures.ThreadPoolExecutor() as threads:
            answers = dict(zip(AWAY, threads.map(asked, AWAY)))
    for path, words in AWAY.items():
        status, body, headers = answers[path]
        assert status == 503 and words in body, (path, status, body)
        assert headers["Retry-After"] == "1"
        assert headers["Content-Type"] == "application/json"


def test_what_is_for_operators_stays_inside(proxy):
    assert ask(proxy["base"] + "/metrics", context=unverified())[0] == 404


def test_tokens_do_not_get_into_the_log(proxy, server):
    ask(proxy["base"] + "/memories/po/2026-01-01?token=secret-token", context=unverified())
    # The log line is written after the answer.
    until(lambda: "/memories/po/2026-01-01" in proxy["log"].read_text(), "logged", seconds=10)
    assert "secret-token" not in proxy["log"].read_text()


def test_plain_http_is_sent_to_tls(nginx):
    status, _, headers = ask(nginx["plain"] + "/ingest?x=1")
    assert status == 308
    assert re.fullmatch(r"https://[^/]+/ingest\?x=1", headers["Location"])
