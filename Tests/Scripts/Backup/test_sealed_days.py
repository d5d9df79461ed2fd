"""Sealed days of a server of one's own: dump, standby, restore, and batches that are late."""

import concurrent.futures
import datetime

import pytest
from conftest import ArchivingCluster
from programs import BINARY, ENVIRONMENT, run, until
from sluice import Sluice

DAY = datetime.date.today() - datetime.timedelta(days=3)
START = datetime.datetime.combine(DAY, datetime.time())
DEVICES = 4
SENT = range(3000)
LATE = range(3000, 3100)


def reading(number):
    """One of all kinds."""
    time = {"t": f"{START + datetime.timedelta(seconds=number)}Z"}
    return time | [
        {"type": "vital", "code": 1, "val": 60 + number % 40},
        {"type": "gps", "lat": 50 + number / 1e5, "lon": 7, "alt": number / 10},
        {"type": "event", "label": "state", "val_text": f"text {number}"},
    ][number % 3]


def send(server, device, numbers):
    """Returns how many of the readings were stored."""
    status, answer = server.ingest({
        "metadata": {"device_id": f"watch-{device}"},
        "data": [reading(number) for number in numbers]})
    assert status == 200 and not answer.get("quarantined"), (status, answer)
    return answer["stored"]


def serving(directory, cluster):
    """A server whose role is a superuser, who logs in through the socket."""
    address = f"host={cluster.directory} port={cluster.port} user=postgres dbname=sluice"
    return Sluice(directory, settings={"SLUICE_DATABASE_URL": address})


def days(server, *arguments):
    return run(BINARY, "days", *arguments, env=ENVIRONMENT | server.settings).stdout


def rows(cluster):
    """Count and digest of all readings, through the view that analysts read."""
    count, digest = cluster.query(
        "select count(*), md5(string_agg(r::text, '' order by r::text)) from analytics.reading r"
    ).strip().split(",")
    return int(count), digest


@pytest.fixture
def server(place, cluster):
    """With a sealed day."""
    with serving(place / "sluice", cluster) as server:
        for device in range(DEVICES):
            assert send(server, device, SENT) == len(SENT)
        before = rows(cluster)
        assert before[0] == DEVICES * len(SENT)
        days(server, "seal", DAY)
        assert rows(cluster) == before
        yield server


def takes_late_readings(server, cluster):
    count, _ = rows(cluster)
    assert send(server, 0, SENT[-100:]) == 0
    assert send(server, 0, LATE) == len(LATE)
    assert send(server, 0, LATE) == 0
    assert rows(cluster)[0] == count + len(LATE)
    days(server, "unseal", DAY)
    assert rows(cluster)[0] == count + len(LATE)


def test_a_dump_is_restored_into_another_cluster(server, cluster, place):
    """Beside the first one, with another port and another directory of sockets."""
    before = rows(cluster)
    other = ArchivingCluster(place / "other", place / "other-backups")
    try:
        roles = run("pg_dumpall", "--roles-only", env=cluster.environment).stdout
        (place / "roles").write_text(roles)
        run("pg_dump", "--format=custom", "--file", place / "dump", "sluice",
            env=cluster.environment)
        run("psql", "--no-psqlrc", "--file", place / "roles", "sluice", env=other.environment)
        run("pg_restore", "--exit-on-error", "--dbname=sluice", place / "dump",
            env=other.environment)
        with serving(place / "again", other) as again:
            until(lambda: "ok       sealed days" in run(
                BINARY, "doctor", ok=False, env=ENVIRONMENT | again.settings).stdout, "corrected")
            assert rows(other) == before
            takes_late_readings(again, other)
        assert rows(cluster) == before
    finally:
        other.stop()


def test_a_standby_is_read_and_takes_over(server, cluster, place):
    """Another machine, with the same port and the same directory of sockets."""
    before = rows(cluster)
    standby = place / "standby"
    run("pg_basebackup", "--pgdata", standby, "--write-recovery-conf", "--checkpoint=fast",
        env=cluster.environment)
    if cluster.user:
        run("chown", "-R", cluster.user, standby)
    cluster.stop()
    cluster.data = standby
    cluster.start()
    assert cluster.query("select pg_is_in_recovery()").strip() == "t"
    assert rows(cluster) == before
    cluster.query("select pg_promote()")
    new = {"metadata": {"device_id": "new"}, "data": [reading(5)]}
    until(lambda: server.ingest(new)[0] == 200, "promoted")
    takes_late_readings(server, cluster)


def test_the_log_seals_the_day_of_an_older_backup(server, cluster):
    days(server, "unseal", DAY)
    base = cluster.back_up()
    days(server, "seal", DAY)
    assert send(server, 0, LATE) == len(LATE)
    before = rows(cluster)
    cluster.archive()
    server.stop()
    cluster.lose()
    cluster.restore(base)
    server.start()
    assert f"{DAY}  gps    sealed" in days(server)
    assert rows(cluster) == before
    assert send(server, 0, LATE) == 0


def test_many_late_batches_arrive_at_two_nodes(server, cluster, place):
    count, _ = rows(cluster)
    with serving(place / "second", cluster) as second:
        def send_late(number):
            device, first = 100 + number % 200, number // 200 * 3
            return [send(node, device, range(first, first + 3)) for node in (server, second)]

        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            stored = list(threads.map(send_late, range(2000)))
        assert all(sorted(pair) == [0, 3] for pair in stored)
        assert rows(cluster)[0] == count + 6000


def test_a_dropped_extension_comes_back_with_the_days(server, cluster):
    """Batches for such a day are not stored again in a live partition."""
    count, _ = rows(cluster)
    cluster.query("drop extension postgres_fdw cascade")
    assert rows(cluster)[0] == 0
    doctor = run(BINARY, "doctor", ok=False, env=ENVIRONMENT | server.settings).stdout
    assert "the server sluice_loop does not exist" in " ".join(doctor.split())
    assert send(server, 0, SENT[-100:]) == 0
    assert rows(cluster)[0] == count
    takes_late_readings(server, cluster)
    days(server, "seal", DAY)
    assert rows(cluster)[0] == count + len(LATE)


@pytest.mark.parametrize("fault, words", [
    ("alter role sluice_loop nologin", "is not permitted to log in"),
    ("alter server sluice_loop options (set port '1')", "No such file or directory"),
    ("revoke connect on database sluice from sluice_loop", "permission denied for database"),
])
def test_without_the_loop_only_queries_fail(server, cluster, fault, words):
    count, _ = rows(cluster)
    cluster.query(fault)
    doctor = run(BINARY, "doctor", ok=False, env=ENVIRONMENT | server.settings).stdout
    assert words in " ".join(doctor.split())
    assert send(server, 0, SENT[-100:]) == 0
    assert send(server, 0, LATE) == len(LATE)
    days(server, "unseal", DAY)
    assert rows(cluster)[0] == count + len(LATE)
