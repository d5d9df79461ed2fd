import time

import load
import pytest
from cluster import Cluster
from programs import (
    BINARY, DEPLOY, ENVIRONMENT, Program, ask, free_port, open_directory, run, until)
from sluice import Sluice


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "deploy")


@pytest.fixture(scope="session")
def cluster(place):
    cluster = Cluster(place / "postgres")
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def server(place, cluster):
    with Sluice(place / "sluice", cluster) as server:
        yield server


@pytest.fixture(scope="session")
def prometheus(place, cluster, server):
    """The address of a Prometheus with the rules; it watched the server through an outage."""
    port = free_port()
    configuration = (DEPLOY / "prometheus/prometheus.yml").read_text()
    assert '["sluice:8080"]' in configuration
    configuration = (
        configuration.replace("15s", "1s").replace("sluice:8080", f"127.0.0.1:{server.port}")
        .replace("alerts.yml", str(DEPLOY / "prometheus/alerts.yml")))
    file = place / "prometheus.yml"
    file.write_text(configuration)
    program = Program(
        ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={place / 'tsdb'}",
         f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"],
        place / "prometheus.log")
    url = f"http://127.0.0.1:{port}"
    program.until(lambda: ask(url + "/-/ready")[0] == 200, "ready")
    live_through(server, cluster)
    yield url
    program.end()


def live_through(server, cluster):
    """Load, a database outage under load, the replay of the spool, and a fleet of many devices."""
    for number in range(6):
        # On a busy machine a batch may go to the spool.
        assert load.fleet(server) <= {200, 202}
        assert load.capture(server, number)["type"] == "ack"
        assert server.upload(f"capture-{number}", b"jpeg" * 1000)[0] == 200
        time.sleep(1)
    cluster.stop()
    until(lambda: load.fleet(server) == {202}, "batches are spooled")
    for number in range(6, 10):
        assert load.fleet(server) == {202}
        assert load.capture(server, number)["type"] == "ack"
        time.sleep(1)
    cluster.start()
    until(lambda: load.fleet(server) == {200}, "batches are committed")
    until(lambda: server.spooled() == 0, "replayed")
    for _ in range(4):
        assert load.fleet(server) <= {200, 202}
        time.sleep(1)
    send_as_a_fleet(server)


def send_as_a_fleet(server):
    """Runs `sluice load` for some seconds: devices that behave like bad clients."""
    run(
        BINARY, "load", server.url, "--rough", "--devices", "200", "--batch", "50", "--rate", "20",
        "--connections", "8", "--duration", "8s", "--seed", "1", "--quiet",
        env=ENVIRONMENT | {"INGEST_API_KEY": server.KEY, "HOME": server.settings["HOME"]})
