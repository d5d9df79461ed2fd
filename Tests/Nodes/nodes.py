"""Nodes that can be killed and started again, and the nginx before them."""

import os

from programs import BINARY, DEPLOY, Program, ask, free_port

KEY = "device-key"
APP_KEY = "app-key"
NGINX = DEPLOY / "proxies/nginx.conf"


class Node:
    """A data directory and a port that stay, over as many processes as it takes."""

    def __init__(self, directory, name, cluster):
        directory.mkdir()
        self.log = directory / "log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = {
            "SLUICE_PORT": str(self.port), "SLUICE_DATA_DIR": str(directory / "data"),
            "SLUICE_NODE": name, "INGEST_API_KEY": KEY, "SLUICE_APP_KEYS": APP_KEY,
            # Short enough for a test to see what a killed node's jobs come to.
            "SLUICE_JOB_LEASE": "2s", "SLUICE_JOB_RUN_MAX": "2s",
            "DATABASE_URL": f"host=127.0.0.1 port={cluster.port} user=sluice dbname=sluice "
            + r"password='a\'b-1'"}
        self.program = None

    def start(self, binary=BINARY):
        self.program = Program([binary, "serve"], self.log, self.settings)
        self.program.until(lambda: ask(self.url + "/health")[0] == 200, "healthy", seconds=60)

    def kill(self):
        self.program.process.kill()
        self.program.process.wait()

    def restart(self, binary=BINARY):
        assert self.program.end() == 0, self.program.text
        self.start(binary)

    def refused(self, binary=BINARY):
        """What a process says that can't serve."""
        assert self.program.end() == 0, self.program.text
        program = Program([binary, "serve"], self.log, self.settings)
        assert program.process.wait(30) != 0, program.text
        return program.text

    @property
    def spooled(self):
        """Readings and units of work that wait."""
        figures = dict(
            line.rsplit(" ", 1) for line in ask(self.url + "/metrics")[1].decode().splitlines()
            if line.startswith("sluice_spool_waiting"))
        return sum(float(value) for value in figures.values())


def balancer(directory, nodes, port):
    """The command of nginx with the example's settings, without TLS."""
    text = NGINX.read_text()

    def replace(old, new):
        nonlocal text
        assert old in text, old
        text = text.replace(old, new)

    one = "        server 127.0.0.1:8080 max_fails=3 fail_timeout=1s;\n"
    replace(one, "".join(one.replace("8080", str(node.port)) for node in nodes))
    replace("listen 443 ssl http2 default_server", f"listen 127.0.0.1:{port}")
    replace("        listen [::]:443 ssl http2 default_server;\n", "")
    replace("listen 80 default_server", f"listen unix:{directory}/plain")
    replace("        listen [::]:80 default_server;\n", "")
    replace("/var/log/nginx/sluice.log", f"{directory}/access.log")
    text = "\n".join(line for line in text.split("\n") if "ssl_" not in line)
    replace("http {\n", "http {\n" + "".join(
        f"    {kind}_temp_path {directory}/{kind};\n"
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]))
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = directory / "nginx.conf"
    file.write_text(f"{user}daemon off;\npid {directory}/pid;\n" + text)
    return ["nginx", "-e", directory / "error.log", "-p", directory, "-c", file]
