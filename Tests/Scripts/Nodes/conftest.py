import apps
import nodes
import pytest
from citus import PROGRAMS, Citus
from cluster import Cluster
from fleet import Fleet
from programs import ask, free_port, open_directory, running


@pytest.fixture
def cluster(request, tmp_path_factory):
    cluster = (Citus if PROGRAMS else Cluster)(
        open_directory(tmp_path_factory, "nodes") / "postgres", **getattr(request, "param", {}))
    yield cluster
    cluster.stop()


@pytest.fixture
def pair(tmp_path, cluster):
    """Two nodes; a test starts them."""
    pair = [nodes.Node(tmp_path / name, name, cluster) for name in ["node-a", "node-b"]]
    yield pair
    for node in pair:
        if node.is_running:
            node.stop()


@pytest.fixture
def base(tmp_path, pair):
    """The address for clients: nginx."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with running(nodes.balancer(tmp_path, pair, port), tmp_path / "nginx.log") as program:
        program.until(lambda: ask(base + "/"), "nginx listens")
        yield base


@pytest.fixture
def traffic(base, pair):
    """Starts the fleet and the apps when the nodes run."""
    started = []

    def start():
        fleet, crowd = Fleet(base, nodes.Node.KEY), apps.Crowd(base)
        started.extend([fleet, crowd])
        return fleet, crowd

    yield start
    for part in started:
        part.stop()


@pytest.fixture
def query(cluster):
    def query(sql):
        done = cluster.psql("sluice", sql)
        assert done.returncode == 0, done.stdout
        return done.stdout.partition("\n")[2]

    return query
