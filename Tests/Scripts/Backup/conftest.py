import pathlib
import shutil
import subprocess

import pytest
from cluster import Cluster
from fleet import Fleet
from programs import BINARY, DEPLOY, ENVIRONMENT, open_directory, run, until
from sluice import Sluice

BACKUP = DEPLOY / "backup"


class ArchivingCluster(Cluster):
    """A PostgreSQL as in README.md, in a directory that can be lost and restored."""

    def __init__(self, directory, backups):
        self.backups = backups
        for part in ["wal", "base", "media"]:
            (backups / part).mkdir(parents=True)
        super().__init__(directory)
        if self.user:
            run("chown", "-R", self.user, backups)

    def start(self, options=""):
        self.tool(
            "pg_ctl", "start", "-w", "-t", "60", "-D", self.data, "-l", self.directory / "log", "-o",
            f"-c port={self.port} -c listen_addresses=127.0.0.1 -c archive_mode=on "
            f"-c unix_socket_directories={self.directory} -c shared_buffers=64MB "
            f"-c archive_command='{BACKUP}/archive-wal {self.backups}/wal %p %f' {options}")

    @property
    def environment(self):
        return ENVIRONMENT | {
            "PGHOST": str(self.directory), "PGPORT": str(self.port), "PGUSER": self.SUPERUSER,
            "SLUICE": BINARY}

    def query(self, sql, database="sluice"):
        done = subprocess.run(
            ["psql", "--no-psqlrc", "--csv", "--tuples-only", "--set", "ON_ERROR_STOP=1",
             "--dbname", database, "--command", sql], text=True, capture_output=True,
            env=self.environment, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def back_up(self, *options):
        """Makes a base backup and returns its directory."""
        done = run(BACKUP / "back-up", self.backups, *options, env=self.environment)
        return pathlib.Path(done.stdout.splitlines()[-1])

    def archive(self):
        """Waits until all of the log up to now is archived."""
        name = self.query("select pg_walfile_name(pg_switch_wal())").strip()
        until(lambda: (self.backups / "wal" / name).exists(), f"{name} is archived", seconds=20)

    def lose(self):
        """The server and its disk are lost."""
        self.stop()
        shutil.rmtree(self.data)

    def restore(self, base, *options, by_root=False):
        """As PostgreSQL's user, or as root, who took the backup."""
        if self.user and not by_root:
            run("chown", "-R", self.user, self.backups)
        run(
            BACKUP / "restore", base, self.data, *options, env=ENVIRONMENT,
            user=None if by_root else self.user, cwd=self.directory)
        self.start()
        # pg_ctl does not wait for the end of the recovery.
        until(
            lambda: run("pg_isready", "--quiet", ok=False, env=self.environment).returncode == 0,
            "recovered")
        # A standby that is copied from it must not stop where this recovery stopped.
        assert "recovery_target" not in (self.data / "postgresql.auto.conf").read_text()


@pytest.fixture
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "backup")


@pytest.fixture
def cluster(place):
    cluster = ArchivingCluster(place / "postgres", place / "backups")
    yield cluster
    cluster.stop()


@pytest.fixture
def server(place, cluster):
    with Sluice(place / "sluice", cluster) as server:
        yield server


@pytest.fixture
def fleet(server):
    fleet = Fleet(server.url, server.KEY)
    yield fleet
    fleet.stop()
