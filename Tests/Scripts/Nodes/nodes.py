"""Nodes that can be killed and started again, and the nginx before them."""

import re

from programs import BINARY, Program
from proxies import NGINX, nginx_command
from sluice import Sluice


class Node(Sluice):
    def __init__(self, directory, name, cluster):
        super().__init__(directory, cluster, {
            "SLUICE_NODE": name,
            # Short enough for a test to see what happens to a killed node's jobs.
            "SLUICE_JOB_LEASE": "2s", "SLUICE_JOB_RUN_MAX": "2s"})

    def restart(self, binary=BINARY):
        self.stop()
        self.start(binary)

    def refused(self, binary=BINARY):
        """The output of a process that can't serve."""
        self.stop()
        program = Program([binary, "serve"], self.log, self.settings)
        assert program.process.wait(30) != 0, program.text
        return program.text


def balancer(directory, nodes, port):
    """The command of nginx with the example's settings, without TLS."""
    one = "        server 127.0.0.1:8080 max_fails=3 fail_timeout=1s;\n"
    return nginx_command(
        directory,
        (one, "".join(one.replace("8080", str(node.port)) for node in nodes)),
        ("listen 443 ssl http2 default_server", f"listen 127.0.0.1:{port}"),
        ("listen 80 default_server", f"listen unix:{directory}/plain"),
        *((line, "") for line in re.findall(r" +ssl_.*\n", NGINX.read_text())))
