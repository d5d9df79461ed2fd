"""A Debian 12 for these tests: debootstrap creates it, systemd-nspawn boots it."""

import os
import pathlib
import shutil

from programs import ENVIRONMENT, Program, run

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
INSIDE = {"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


class Unreachable(Exception):
    """Debian's mirror can't be reached."""


class Machine:
    """A minimal Debian with systemd. While it is booted it has its own network with only
    loopback. Its processes end with it."""

    def __init__(self, directory):
        """directory: is created. Takes a minute or two."""
        directory.mkdir()
        self.directory = directory
        self.root = directory / "root"
        self.program = None
        done = run(
            "debootstrap", "--variant=minbase", "--include=systemd-sysv,curl,sudo", "bookworm", self.root,
            ok=False, timeout=600, env=ENVIRONMENT)
        if "Failed getting release file" in done.stdout:
            raise Unreachable
        assert done.returncode == 0, done.stdout

    def _nspawn(self, *options):
        # The container is not registered: the machine need not have a systemd that could register
        # it.
        return [
            "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--settings=no",
            f"--machine=sluice-{os.getpid()}", f"--directory={self.root}", *options]

    def run_with_network(self, *command):
        """Runs a command before the boot, on the outer network, where packages come from."""
        variables = [f"{name}={value}" for name, value in INSIDE.items()]
        return run(
            *self._nspawn("--pipe"), "env", *variables, *command, timeout=600, env=ENVIRONMENT)

    def boot(self):
        self.program = Program(
            self._nspawn("--private-network", "--boot"), self.directory / "log")
        self.program.until(
            lambda: self.run("systemctl is-system-running", ok=False).stdout.strip()
            in {"running", "degraded"}, "booted")

    def run(self, script, ok=True):
        """Runs a shell script as root, in root's home, and returns its output."""
        process = self.program.process.pid
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
        if not children:
            raise OSError("nothing runs in it yet")
        return run(
            "nsenter", f"--target={children[0]}", "--all", "--root", "--wd", "bash", "-c",
            f"set -euo pipefail; cd; {script}", ok=ok, timeout=300, env=INSIDE)

    def remove(self):
        if self.program and self.program.process.poll() is None:
            self.program.end()
        shutil.rmtree(self.directory)
