"""Programs that the tests start on loopback and end again; and what they are asked."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
BINARY = os.environ.get("SLUICE_BINARY", str(ROOT / ".build/release/sluice"))

# What a program may find in its environment that is none of its business stays out.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run(*command, ok=True, **options):
    """The finished command; its output is shown when it fails and should not."""
    options.setdefault("timeout", 120)
    done = subprocess.run(
        [str(part) for part in command], text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0 or not ok, f"{command}: {done.returncode}\n{done.stdout}"
    return done


def ask(url, body=None, headers={}, method=None, context=None):
    """Status, body and headers; an error status is an answer like any other."""
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
    """Waits until the condition returns something, and returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, urllib.error.URLError):
            if result := condition():
                return result
        time.sleep(0.1)
    raise AssertionError(f"{what}: not in {seconds} s")


class Program:
    """A process of ours with its log; SIGTERM ends it, SIGKILL if need be."""

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

    def end(self, seconds=60):
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


class Cluster:
    """A PostgreSQL whose roles are made by what makes them in compose.yml."""

    SUPERUSER = "postgres"
    PASSWORDS = {
        "SLUICE_DATABASE_PASSWORD": "a'b-1", "GRAFANA_DATABASE_PASSWORD": 'c"d-2'}

    def __init__(self, directory):
        self.directory = directory
        self.data = directory / "data"
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        directory.mkdir()
        if self.user:
            shutil.chown(directory, self.user)
        self.tool(
            "initdb", "--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8",
            "--locale=C.UTF-8", "--no-sync", f"--username={self.SUPERUSER}", self.data)
        self.start()
        run(
            "bash", DEPLOY / "docker/postgres/roles.sh",
            env=ENVIRONMENT | self.PASSWORDS
            | {"PGHOST": str(directory), "PGPORT": str(self.port)})

    def tool(self, name, *arguments):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        program = shutil.which(name) or versions[-1]
        return run(
            program, *arguments, env=ENVIRONMENT, cwd=self.directory, user=self.user)

    def start(self):
        options = (
            f"-c port={self.port} -c listen_addresses=127.0.0.1 -c fsync=off "
            f"-c unix_socket_directories={self.directory}")
        self.tool(
            "pg_ctl", "start", "-w", "-D", self.data, "-l", self.directory / "log",
            "-o", options)

    def stop(self):
        self.tool("pg_ctl", "stop", "-w", "-D", self.data, "-m", "immediate")

    def psql(self, role, sql):
        """What psql says to the statement, as that role, over TCP and with its password."""
        key = f"{role.upper()}_DATABASE_PASSWORD"
        return run(
            "psql", "--no-psqlrc", "--csv", "--set", "ON_ERROR_STOP=1", "--command", sql,
            ok=False, env=ENVIRONMENT | {
                "PGHOST": "127.0.0.1", "PGPORT": str(self.port), "PGUSER": role,
                "PGDATABASE": "sluice", "PGPASSWORD": self.PASSWORDS[key]})


class Sluice:
    """A server with that database, and what clients send to it."""

    KEY = "device-key"
    APP_KEY = "app-key"

    def __init__(self, directory, database=None, environment={}):
        directory.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        settings = {
            "SLUICE_PORT": str(self.port), "SLUICE_DATA_DIR": str(directory / "data"),
            "INGEST_API_KEY": self.KEY, "SLUICE_APP_KEYS": self.APP_KEY}
        if database:
            settings["DATABASE_URL"] = (
                f"host=127.0.0.1 port={database.port} user=sluice dbname=sluice "
                + r"password='a\'b-1'")
        self.program = Program(
            [BINARY, "serve"], directory / "log", settings | environment)
        self.program.until(
            lambda: ask(self.url + "/health")[0] == 200, "healthy", seconds=90)

    def ingest(self, document, base=None, context=None):
        status, body, _ = ask(
            (base or self.url) + "/ingest", json.dumps(document).encode(),
            {"X-API-Key": self.KEY, "Content-Type": "application/json"}, context=context)
        return status, json.loads(body)

    def upload(self, capture, content, base=None, context=None):
        edge = "deploy-tests"
        head = (
            f"--{edge}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n"
            "Content-Type: image/jpeg\r\n\r\n")
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        return ask(
            f"{base or self.url}/upload/{capture}", body,
            {"Authorization": f"Bearer {self.APP_KEY}",
             "Content-Type": f"multipart/form-data; boundary={edge}"}, context=context)

    def metrics(self):
        return ask(self.url + "/metrics")[1].decode()
