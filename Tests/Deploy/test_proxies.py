"""nginx and Caddy, with the example's configuration between a client and the server."""

import datetime
import os
import re
import ssl

import load
import pytest
from programs import DEPLOY, ask, free_port, run, running, until

NGINX = DEPLOY / "proxies/nginx.conf"
CADDY = DEPLOY / "proxies/Caddyfile"
NOW = datetime.datetime.now(datetime.timezone.utc)


def unverified():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def replaced(text, *pairs):
    """The text with other ports and paths; each must stand in it."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, str(new))
    return text


@pytest.fixture(scope="module")
def nginx(tmp_path_factory, server):
    place = tmp_path_factory.mktemp("nginx")
    run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "1", "-subj", "/CN=localhost", "-keyout", place / "key", "-out", place / "cert")
    plain, secure = free_port(), free_port()
    text = replaced(
        NGINX.read_text(),
        ("listen 80 default", f"listen 127.0.0.1:{plain} default"),
        ("listen 443 ssl", f"listen 127.0.0.1:{secure} ssl"),
        ("        listen [::]:80 default_server;\n", ""),
        ("        listen [::]:443 ssl http2 default_server;\n", ""),
        ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
        ("/etc/nginx/tls/sluice.pem", place / "cert"),
        ("/etc/nginx/tls/sluice.key", place / "key"),
        ("/var/log/nginx/sluice.log", place / "access.log"))
    temporary = "".join(
        f"    {kind}_temp_path {place}/{kind};\n"
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    text = text.replace("http {\n", "http {\n" + temporary, 1)
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = place / "nginx.conf"
    file.write_text(f"{user}daemon off;\npid {place}/pid;\n" + text)
    command = ["nginx", "-e", place / "error.log", "-p", place, "-c", file]
    run(*command, "-t")
    with running(command, place / "log") as program:
        base = f"https://127.0.0.1:{secure}"
        program.until(lambda: ask(base + "/health", context=unverified())[0] == 200, "serving")
        yield {"base": base, "plain": f"http://127.0.0.1:{plain}", "log": place / "access.log"}


@pytest.fixture(scope="module")
def caddy(tmp_path_factory, server):
    place = tmp_path_factory.mktemp("caddy")
    port = free_port()
    text = replaced(
        CADDY.read_text(),
        ("\nsluice.example.com {", f"\nhttps://localhost:{port} {{\n\ttls internal"),
        ("127.0.0.1:8080", f"127.0.0.1:{server.port}"))
    text = text.replace(
        "\n{\n", "\n{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n", 1)
    file = place / "Caddyfile"
    file.write_text(text)
    home = {"HOME": str(place), "XDG_DATA_HOME": str(place), "XDG_CONFIG_HOME": str(place)}
    run("caddy", "validate", "--adapter", "caddyfile", "--config", CADDY, env=os.environ | home)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", file]
    with running(command, place / "log", home) as program:
        base = f"https://localhost:{port}"
        program.until(lambda: ask(base + "/health", context=unverified())[0] == 200, "serving")
        yield {"base": base, "log": place / "log"}


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request):
    return request.getfixturevalue(request.param)


def test_caddy_finds_its_file_well_formatted():
    assert run("caddy", "fmt", CADDY).stdout == CADDY.read_text()


def test_batches_uploads_and_sockets_come_through(proxy, server):
    base, context = proxy["base"], unverified()
    for number in range(20):
        status, _ = server.ingest(load.batch(number, NOW), base, context)
        assert status == 200
    content = os.urandom(40 << 20)
    status, body, _ = server.upload("large", content, base, context)
    assert status == 200, body
    # On a connection that the proxy has used for requests an upgrade would be refused.
    for number in range(5):
        name = f"{number}-{os.urandom(4).hex()}"
        answer = load.capture(server, name, base, ssl=context)
        assert answer["type"] == "ack", answer
    status, body, _ = ask(
        f"{base}/media/memories/large/photo.jpg",
        headers={"Authorization": f"Bearer {server.APP_KEY}"}, context=context)
    assert status == 200 and body == content


@pytest.mark.parametrize("size, by_server", [((16 << 20) + 1000, True), (80 << 20, False)])
def test_a_body_that_is_too_large_gets_a_413(proxy, server, tmp_path, size, by_server):
    body = tmp_path / "body"
    body.write_bytes(b" " * size)
    # curl reads an answer that comes while it is still sending.
    done = run(
        "curl", "--silent", "--insecure", "--http1.1", "--request", "POST", "--data-binary",
        f"@{body}", "--header", f"X-API-Key: {server.KEY}", "--header",
        "Content-Type: application/json", "--write-out", "%{http_code}",
        proxy["base"] + "/ingest", ok=by_server)
    # Caddy may be gone with its answer before that was read: 55, a failure to send.
    assert done.stdout.endswith("413") or done.returncode == 55, done
    assert ('"detail"' in done.stdout) == by_server, done


def test_what_is_for_operators_stays_inside(proxy):
    assert ask(proxy["base"] + "/metrics", context=unverified())[0] == 404


def test_tokens_do_not_get_into_the_log(proxy, server):
    ask(proxy["base"] + "/memories/po/2026-01-01?token=secret-token", context=unverified())
    # The line is written after the answer.
    until(lambda: "/memories/po/2026-01-01" in proxy["log"].read_text(), "logged", seconds=10)
    assert "secret-token" not in proxy["log"].read_text()


def test_plain_http_is_sent_to_tls(nginx):
    status, _, headers = ask(nginx["plain"] + "/ingest?x=1")
    assert status == 308
    assert re.fullmatch(r"https://[^/]+/ingest\?x=1", headers["Location"])
