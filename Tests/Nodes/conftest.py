import apps
import nodes
import pytest
from fleet import Fleet
from programs import Cluster, ask, free_port, running


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A directory that PostgreSQL's user can get into."""
    directory = tmp_path_factory.mktemp("nodes")
    for parent in [directory, *directory.parents][:3]:
        parent.chmod(0o755)
    return directory


@pytest.fixture
def cluster(tmp_path_factory, place):
    directory = tmp_path_factory.mktemp("cluster")
    directory.chmod(0o755)
    cluster = Cluster(directory / "postgres")
    yield cluster
    cluster.stop()


@pytest.fixture
def pair(tmp_path, cluster):
    """Two nodes; a test starts them."""
    pair = [nodes.Node(tmp_path / name, name, cluster) for name in ["node-a", "node-b"]]
    yield pair
    for node in pair:
        if node.program and node.program.process.poll() is None:
            assert node.program.end() == 0, node.program.text


@pytest.fixture
def base(tmp_path, pair):
    """Where clients come in: nginx."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with running(nodes.balancer(tmp_path, pair, port), tmp_path / "nginx.log") as program:
        program.until(lambda: ask(base + "/"), "nginx listens")
        yield base


@pytest.fixture
def traffic(base, pair):
    """Starts the fleet and the apps, when the nodes are there."""
    started = []

    def start():
        fleet, crowd = Fleet(base, nodes.KEY), apps.Crowd(base)
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
        return done.stdout.split("\n", 1)[1]

    return query
