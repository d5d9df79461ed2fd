import time

import load
import pytest
from programs import DEPLOY, Cluster, Program, Sluice, ask, free_port, until


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A directory that PostgreSQL's user can get into."""
    directory = tmp_path_factory.mktemp("deploy")
    for parent in [directory, *directory.parents][:3]:
        parent.chmod(0o755)
    return directory


@pytest.fixture(scope="session")
def cluster(place):
    cluster = Cluster(place / "postgres")
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def server(place, cluster):
    server = Sluice(place / "sluice", cluster)
    yield server
    assert server.program.end() == 0, server.program.text


@pytest.fixture(scope="session")
def prometheus(place, cluster, server):
    """The address of a Prometheus with the rules that watched the server through an outage."""
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
    """Load, an outage of the database under load, and the replay of what was spooled meanwhile."""
    for number in range(6):
        assert load.fleet(server) == {200}
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
    until(lambda: "\nsluice_spool_waiting_readings 0\n" in server.metrics(), "replayed")
    for _ in range(4):
        assert load.fleet(server) == {200}
        time.sleep(1)
