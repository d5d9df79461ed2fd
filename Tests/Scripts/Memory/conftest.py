import pytest
from cluster import Cluster
from programs import ENVIRONMENT, open_directory, run


class Watched(Cluster):
    """A PostgreSQL whose backends can be seen, stopped and killed by a test."""

    def rows(self, sql):
        """Of a statement of the superuser, with commas between fields."""
        return run(
            "psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--host", self.directory, "--port",
            self.port, "--username", self.SUPERUSER, "--dbname", "sluice", "--csv", "--tuples-only",
            "--command", sql, env=ENVIRONMENT).stdout


@pytest.fixture
def cluster(tmp_path_factory):
    cluster = Watched(open_directory(tmp_path_factory, "memory") / "postgres")
    yield cluster
    if (cluster.data / "postmaster.pid").exists():
        cluster.stop()
