"""deploy/proxies/nginx.conf with other ports and paths, and a proxy's answers without a server."""

import os

from programs import DEPLOY

NGINX = DEPLOY / "proxies/nginx.conf"
# A path of each system, and a part of its answer.
AWAY = {
    "/ingest": b'{"detail"', "/api/v1/meal-logs": b'{"error":{"message"',
    "/api/users/user/a/moods": b'"details"', "/upload/a": b'"upload failed: ',
    "/memories/a/2026-01-01": b'{"status":"error"'}


def replaced(text, *pairs):
    """The text with some parts replaced; each must occur."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, str(new))
    return text


def nginx_command(directory, *pairs):
    """The command of nginx in the foreground, with the example's settings except for those pairs."""
    parts = "".join(
        f"    {kind}_temp_path {directory}/{kind};\n"
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    text = replaced(
        NGINX.read_text(), ("http {\n", "http {\n" + parts),
        ("        listen [::]:80 default_server;\n", ""),
        ("        listen [::]:443 ssl http2 default_server;\n", ""),
        ("/var/log/nginx/sluice.log", directory / "access.log"), *pairs)
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = directory / "nginx.conf"
    file.write_text(f"{user}daemon off;\npid {directory}/pid;\n" + text)
    return ["nginx", "-e", directory / "error.log", "-p", directory, "-c", file]
