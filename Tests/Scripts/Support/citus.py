"""A Citus cluster for one test."""

import contextlib
import os
import signal

from cluster import Cluster
from programs import BINARY, ENVIRONMENT, run, until

# The directory with initdb, pg_ctl and postgres of a PostgreSQL with Citus.
PROGRAMS = os.environ.get("SLUICE_CITUS_BIN")


class Server(Cluster):
    """One PostgreSQL of the cluster, which can be killed. It accepts the others without a
    password."""

    PROGRAMS = PROGRAMS
    AUTHENTICATION = "trust"
    SETTINGS = Cluster.SETTINGS | {
        "shared_preload_libraries": "citus", "wal_level": "logical", "max_connections": 200,
        "max_prepared_transactions": 400, "max_locks_per_transaction": 256,
        "citus.recover_2pc_interval": "2s", "citus.node_conninfo": "sslmode=prefer",
        "citus.shard_count": 8}

    def make_roles(self):
        done = self.psql_with(
            self.SUPERUSER, "--dbname", "postgres",
            "--command", "create role sluice login createrole",
            "--command", "create database sluice owner sluice",
            "--command", "\\connect sluice", "--command", "create extension citus")
        assert done.returncode == 0, done.stdout

    @property
    def place(self):
        """Host and port, as arguments for the functions of Citus."""
        return f"'127.0.0.1', {self.port}"

    def kill(self):
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def revive(self):
        """Starts it as soon as the last process of the killed server has ended."""
        def is_started():
            with contextlib.suppress(AssertionError):
                self.start()
                return True

        until(is_started, "PostgreSQL starts again")


class Citus(Server):
    """The coordinator with its workers, migrated and distributed."""

    def __init__(self, directory, workers=2, partition_days=1):
        super().__init__(directory)
        self.partition_days = partition_days
        self.workers = []
        self.administer(f"select citus_set_coordinator_host({self.place})")
        for _ in range(workers):
            self.add_worker()
        self.sluice("migrate", "--citus", "--partition-days", str(partition_days))

    @property
    def servers(self):
        return [self, *self.workers]

    def add_worker(self):
        name = f"{self.directory.name}-worker-{len(self.workers)}"
        worker = Server(self.directory.with_name(name))
        self.workers.append(worker)
        self.administer(f"select citus_add_node({worker.place})")
        return worker

    def administer(self, sql):
        """The rows of a statement that only a superuser may run."""
        done = self.psql_with(self.SUPERUSER, "--csv", "--tuples-only", "--command", sql)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def sluice(self, *words, ok=True):
        """Runs a command of the binary on this database."""
        return run(
            BINARY, *words, ok=ok,
            env=ENVIRONMENT | {
                "DATABASE_URL": self.address("sluice"),
                "SLUICE_DATA_DIR": str(self.directory / "commands")})

    def stop(self):
        for server in self.workers:
            server.stop()
        super().stop()
