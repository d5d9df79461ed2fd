"""A server for one test."""

import json

from programs import BINARY, Program, ask, free_port


class Sluice:
    """A server that keeps its data and its port over any number of processes.

    directory: is created. Contains the log, and the server's data in data/.
    database: a Cluster; without one the server starts its own PostgreSQL.
    """

    KEY = "device-key"
    APP_KEY = "app-key"

    def __init__(self, directory, database=None, settings={}):
        directory.mkdir()
        self.log = directory / "log"
        self.data = directory / "data"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = {
            "HOME": str(directory), "SLUICE_PORT": str(self.port),
            "SLUICE_DATA_DIR": str(self.data), "INGEST_API_KEY": self.KEY,
            "SLUICE_APP_KEYS": self.APP_KEY}
        if database:
            self.settings["DATABASE_URL"] = database.address("sluice")
        self.settings |= settings
        self.program = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.is_running:
            self.stop()

    @property
    def is_running(self):
        return self.program is not None and self.program.process.poll() is None

    def start(self, binary=BINARY):
        self.program = Program([binary, "serve"], self.log, self.settings)
        self.program.until(
            lambda: ask(self.url + "/health")[0] == 200, "healthy", seconds=120)

    def stop(self):
        assert self.program.end() == 0, self.program.text

    def kill(self):
        self.program.process.kill()
        self.program.process.wait()

    def ingest(self, document, base=None, context=None):
        """Returns status and answer."""
        status, body, _ = ask(
            (base or self.url) + "/ingest", json.dumps(document).encode(),
            {"X-API-Key": self.KEY, "Content-Type": "application/json"}, context=context)
        return status, json.loads(body)

    def upload(self, capture, content, base=None, context=None):
        edge = "edge-of-a-part"
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

    def spooled(self):
        """Readings and units of work that are pending in the spool."""
        return sum(
            float(line.rsplit(" ", 1)[1]) for line in self.metrics().splitlines()
            if line.startswith("sluice_spool_waiting"))
