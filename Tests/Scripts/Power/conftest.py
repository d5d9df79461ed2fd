import os
import subprocess

import pytest
from cluster import Cluster
from programs import BINARY, ENVIRONMENT, open_directory, run
from world import HERE, World


def pytest_addoption(parser):
    parser.addoption("--rounds", type=int, default=10, help="power cuts at random, 10 by default")
    parser.addoption("--seed", type=int, help="of the first round; random by default")


class Migrated(Cluster):
    """A PostgreSQL whose database can be emptied quickly."""

    def __init__(self, directory):
        super().__init__(directory)
        run(
            BINARY, "migrate", env=ENVIRONMENT | {
                "DATABASE_URL": self.address("sluice"), "SLUICE_DATA_DIR": str(directory / "commands")})
        self.administer("alter database sluice rename to migrated")

    def administer(self, *statements):
        for statement in statements:
            run("psql", "--no-psqlrc", "--host", self.directory, "--port", self.port, "--username",
                self.SUPERUSER, "--dbname", "postgres", "--command", statement, env=ENVIRONMENT)

    def empty(self):
        self.administer(
            "drop database if exists sluice with (force)",
            "create database sluice template migrated owner sluice")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """journal.c, compiled."""
    library = tmp_path_factory.mktemp("library") / "journal.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library,
         HERE / "journal.c", "-ldl", "-lpthread"], check=True)
    return library


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    cluster = Migrated(open_directory(tmp_path_factory, "power") / "postgres")
    yield cluster
    cluster.stop()


@pytest.fixture
def make_world(tmp_path, cluster, library):
    """Makes a World with an empty disk and an empty database. Only the last one may be used."""
    worlds = []

    def make(settings={}):
        if worlds:
            worlds.pop().end()
        cluster.empty()
        directory = tmp_path / os.urandom(4).hex()
        directory.mkdir()
        worlds.append(World(directory, cluster, library, settings))
        return worlds[-1]

    yield make
    for world in worlds:
        world.end()


@pytest.fixture
def world(make_world):
    return make_world()
