"""Backup and restore, as deploy/backup/README.md describes them."""

import datetime
import os
import pathlib
import shutil
import time

from programs import BINARY, DEPLOY, ENVIRONMENT, ask, run, running, until
from sluice import Sluice

BACKUP = DEPLOY / "backup"


def replayed(server):
    return "\nsluice_spool_waiting_readings 0\n" in server.metrics()


def by(status, acknowledged):
    return {reading for reading, by in acknowledged.items() if by == status}


def test_the_databases_disk_is_lost(cluster, server, fleet, capsys):
    """Sluice continues, and replays its spool after the restore."""
    fleet.until(200)
    base = cluster.back_up("--spool", server.data / "spool", "--media", server.data / "media")
    fleet.until(200)
    # All of these readings are in the archived part of the log.
    archived = fleet.copy()
    cluster.archive()
    fleet.until(200)
    cluster.lose()
    fleet.until(202, 60)
    if cluster.user:
        refused = run(
            BACKUP / "restore", base, cluster.data, ok=False, env=ENVIRONMENT, user=cluster.user,
            cwd=cluster.directory)
        assert refused.returncode == 1 and "run restore as root" in refused.stdout, refused.stdout
    cluster.restore(base, by_root=bool(cluster.user))
    fleet.until(200, 60)
    fleet.stop()
    until(lambda: replayed(server), "replayed")
    stored = fleet.stored(cluster.query)
    assert set(archived) <= stored
    acknowledged = fleet.copy()
    assert by(202, acknowledged) <= stored
    lost = set(acknowledged) - stored
    # Readings that were committed after the last archived file of the log.
    assert len(lost) < len(by(200, acknowledged)) / 2
    with capsys.disabled():
        print(f"\n{len(stored)} stored, {len(by(202, acknowledged))} of them by 202, "
              f"{len(lost)} committed after the archive's end are lost")


def test_with_a_synchronous_receiver_no_commit_is_lost(cluster, server, fleet, place):
    """A commit waits until pg_receivewal has it on another disk; without the receiver, Sluice
    spools."""
    base = cluster.back_up("--spool", server.data / "spool")
    command = [
        "pg_receivewal", "--directory", cluster.backups / "wal", "--synchronous", "--slot=sluice",
        "--no-password", "--no-loop"]
    environment = cluster.environment | {"PGAPPNAME": "receiver"}
    run("pg_receivewal", "--slot=sluice", "--create-slot", env=environment)
    # Both write to one directory: the receiver's files are also complete.
    cluster.query("alter system set archive_command = '/bin/true'")
    cluster.query("alter system set synchronous_standby_names = 'receiver'")
    cluster.query("select pg_reload_conf()")
    user = {"user": cluster.user} if cluster.user else {}
    with running(command, place / "receiver.log", environment, **user):
        until(lambda: "sync" in cluster.query(
            "select sync_state from pg_stat_replication where application_name = 'receiver'"),
            "synchronous")
        before = fleet.copy()
        fleet.until(200)
    fleet.until(202)
    with running(command, place / "receiver.log", environment, **user):
        fleet.until(200)
        cluster.lose()
        fleet.until(202)
    cluster.restore(base)
    cluster.query("alter system reset synchronous_standby_names")
    cluster.query("select pg_reload_conf()")
    fleet.until(200)
    fleet.stop()
    until(lambda: replayed(server), "replayed")
    acknowledged = fleet.copy()
    assert len(by(200, acknowledged)) > len(before) and by(202, acknowledged)
    assert set(acknowledged) == fleet.stored(cluster.query) & set(acknowledged)


def test_all_disks_are_lost(cluster, server, fleet, place):
    """The copied spool is older than the database: no reading is missing, and none is stored
    twice."""
    for number in range(5):
        assert server.upload(f"early-{number}", os.urandom(10_000))[0] == 200
    fleet.until(200)
    locker = ["psql", "--no-psqlrc", "--dbname=sluice", "--command",
              "begin; lock table sluice.gps in access exclusive mode; select pg_sleep(60)"]
    # Batches go to the spool, and the base backup has none of them.
    with running(locker, place / "locker.log", cluster.environment) as lock:
        fleet.until(202)
        spooled = fleet.copy()
        base = cluster.back_up(
            "--spool", server.data / "spool", "--media", server.data / "media")
        moment = cluster.query("select clock_timestamp()").strip()
        lock.process.kill()
        cluster.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where query like 'begin; lock%'")
    fleet.until(200)
    until(lambda: replayed(server), "replayed")
    fleet.until(200)
    archived = fleet.copy()
    cluster.archive()
    server.kill()
    fleet.stop()
    cluster.lose()
    shutil.rmtree(server.data)

    def brought_back(*options):
        """The rows of the base backup and the log, and those after the replay of the copied
        spool."""
        cluster.restore(base, *options)
        alone = fleet.stored(cluster.query)
        again = Sluice(place / f"again-{len(options)}", cluster)
        shutil.copytree(base / "spool-0/spool", again.data / "spool")
        shutil.copytree(cluster.backups / "media", again.data / "media")
        with again:
            until(lambda: replayed(again), "replayed")
            status, _, _ = ask(
                f"{again.url}/media/memories/early-4/photo.jpg",
                headers={"Authorization": f"Bearer {again.APP_KEY}"})
            assert status == 200
        return alone, fleet.stored(cluster.query)

    # To the moment of the backup: readings that were in the spool then are only in its copy.
    alone, whole = brought_back("--until", moment)
    assert by(202, spooled) and not by(202, spooled) & alone
    assert set(spooled) <= whole
    # To the end of the log: the database already has all readings of the copied spool.
    cluster.lose()
    alone, whole = brought_back()
    assert set(archived) <= alone
    assert whole == alone


def test_what_is_kept_can_be_restored(cluster, server, fleet):
    fleet.until(200)
    bases = [cluster.back_up("--keep", "2") for _ in range(1)]
    for _ in range(2):
        fleet.until(200)
        cluster.archive()
        time.sleep(1)
        bases.append(cluster.back_up("--keep", "2"))
    assert [base.exists() for base in bases] == [False, True, True]
    first = cluster.query(
        "select min(name) from pg_ls_dir("
        f"'{cluster.backups}/wal') name where name ~ '^[0-9A-F]+$'").strip()
    label = (bases[1] / "data/backup_label").read_text()
    assert f"(file {first})" in label
    fleet.stop()
    acknowledged = fleet.copy()
    cluster.archive()
    cluster.lose()
    cluster.restore(bases[1])
    assert set(acknowledged) <= fleet.stored(cluster.query)


def test_a_private_cluster_is_backed_up_through_its_socket(place):
    """As README.md describes it, with the server's own PostgreSQL."""
    backups = place / "backups"
    with Sluice(place / "sluice") as server:
        now = datetime.datetime.now(datetime.timezone.utc).isoformat()
        status, answer = server.ingest({
            "metadata": {"device_id": "one"},
            "data": [{"t": now, "type": "gps", "lat": 1, "lon": 2}]})
        assert status in (200, 202) and answer["records"] == 1
        assert not answer.get("quarantined")
        environment = ENVIRONMENT | {"SLUICE_DATA_DIR": str(server.data)}

        def psql(sql):
            return run(
                BINARY, "psql", "--no-psqlrc", "--csv", "--tuples-only", "--command", sql,
                env=environment).stdout.strip()

        base = run(
            BACKUP / "nightly",
            env=environment | {"SLUICE": BINARY, "BACKUP_DIRECTORY": str(backups)},
        ).stdout.splitlines()[-1]
    cluster = (server.data / "postgres/data").resolve()
    shutil.rmtree(cluster)
    run(BACKUP / "restore", base, cluster)
    with server:
        assert psql("select count(*) from analytics.gps") == "1"
