"""Starts and stops programs on loopback for the scripts in the other folders, and sends requests."""

import contextlib
import os
import pathlib
import random
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
BINARY = os.environ.get("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))

# The environment of programs, without variables that don't concern them.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def free_port():
    """A port outside the range of clients' sockets, because it must still be free after a
    restart."""
    for _ in range(100):
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def open_directory(factory, name):
    """A directory that PostgreSQL's user may enter, from pytest's tmp_path_factory."""
    directory = factory.mktemp(name)
    for parent in [directory, *directory.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    return directory


def run(*command, ok=True, **options):
    """Runs a command to its end; prints the output of an unexpected failure."""
    options.setdefault("timeout", 120)
    done = subprocess.run(
        [str(part) for part in command], text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0 or not ok, f"{command}: {done.returncode}\n{done.stdout}"
    return done


def ask(url, body=None, headers={}, method=None, context=None):
    """Returns status, body and headers; an error status is returned like any other."""
    request = urllib.request.Request(url, body, headers, method=method)
    opener = urllib.request.build_opener(
        Unredirected, urllib.request.HTTPSHandler(context=context))
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


class Unredirected(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def until(condition, what, seconds=60):
    """Waits until the condition returns a value, and returns it. Waits for at least two minutes,
    because the machine may be busy."""
    seconds = max(seconds, 120)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, urllib.error.URLError):
            if result := condition():
                return result
        time.sleep(0.1)
    raise AssertionError(f"{what}: not in {seconds} s")


class Program:
    """A child process with its log. It is stopped with SIGTERM, and with SIGKILL if necessary."""

    def __init__(self, command, log, environment={}, user=None, **options):
        self.log = pathlib.Path(log)
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=ENVIRONMENT | environment, user=user,
                **options)

    def until(self, condition, what, seconds=60):
        def check():
            assert self.process.poll() is None, f"it has ended: {self.text}"
            return condition()

        return until(check, what, seconds)

    @property
    def text(self):
        return self.log.read_text(errors="replace")[-4000:]

    def end(self, seconds=120):
        self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@contextlib.contextmanager
def running(*arguments, **options):
    program = Program(*arguments, **options)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.end()
