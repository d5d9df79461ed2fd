"""Behaviour that only a Citus cluster has; and its answers equal those of plain PostgreSQL."""

import datetime
import itertools
import math
import random
import re
import time

import pytest
from citus import PROGRAMS
from cluster import Cluster
from nodes import Node
from programs import ROOT, ask, until
from sluice import Sluice
from test_nodes import check, number, settle

pytestmark = pytest.mark.skipif(
    not PROGRAMS, reason="SLUICE_CITUS_BIN names no PostgreSQL that has Citus")


lengths = pytest.mark.parametrize(
    "cluster", [{"partition_days": 1}, {"partition_days": 7}], indirect=True, ids=["days", "weeks"])


def lanes_not_direct(node):
    return sum(
        float(line.rsplit(" ", 1)[1]) for line in node.metrics().splitlines()
        if line.startswith("sluice_lanes_not_direct"))


def test_servers_are_killed_and_shards_move(cluster, pair, traffic, query, capsys):
    for node in pair:
        node.start()
    fleet, crowd = traffic()
    fleet.until(200)
    assert all(lanes_not_direct(node) == 0 for node in pair)
    for server in cluster.servers:
        server.kill()
        time.sleep(1)
        server.revive()
        fleet.until(200, 60)
    # Citus moves no shard while a table is distributed.
    until(lambda: number(query, "select count(*) from sluice.missing_days(current_date - 1, current_date + 7)")
          == 0, "the coming days have partitions")
    first, second = cluster.workers
    shard = cluster.administer(
        f"select min(shardid) from citus_shards where nodeport = {first.port} "
        "and table_name = 'sluice.device_state'::regclass").strip()
    cluster.administer(
        f"select citus_move_shard_placement({shard}, {first.place}, {second.place}, "
        "shard_transfer_mode => 'auto')")
    fleet.until(200, 60)
    third = cluster.add_worker()
    cluster.administer("select rebalance_table_shards(shard_transfer_mode => 'block_writes')")
    assert int(cluster.administer(
        f"select count(*) from citus_shards where nodeport = {third.port}"))
    fleet.until(200, 60)
    until(lambda: all(lanes_not_direct(node) == 0 for node in pair), "lanes are direct again")
    settle(pair, fleet, crowd, query)
    check(fleet, crowd, query, dying=5.0)
    # Citus has ended the prepared transactions of the killed node.
    until(lambda: not any(
        int(server.psql("sluice", "select count(*) from pg_prepared_xacts").stdout.split()[1])
        for server in cluster.servers), "no transaction is left prepared")
    with capsys.disabled():
        print(f"\ncluster: answers {dict(fleet.statuses)}, {len(crowd.captures)} captures, "
              f"{len(crowd.logs)} meals")


def batches(dice, days=3, count=150):
    """Batches of some devices, in any order and with pauses: some late, some twice, some with
    faults."""
    start = datetime.datetime.now(datetime.timezone.utc).replace(
        hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=days)
    clocks = {f"device-{name}": start for name in range(12)}
    for batch in range(count):
        device = dice.choice(list(clocks))
        moment = clocks[device]
        is_late = dice.random() < 0.2
        if is_late:
            moment -= datetime.timedelta(minutes=dice.randrange(1, 900))
        data = []
        for _ in range(dice.randrange(5, 50)):
            pause = dice.choice([1, 5, 20, 60, 240]) if dice.random() < 0.95 else 9000
            moment = min(
                moment + datetime.timedelta(seconds=pause), start + datetime.timedelta(days=days))
            data.append({"t": moment.isoformat()} | reading(dice, batch))
        if not is_late:
            clocks[device] = moment
        body = {
            "metadata": {
                "device_id": device, "user_id": f"user-{device[-1]}", "version": f"1.{batch % 3}"},
            "data": data}
        yield from [body] * dice.choice([1, 1, 1, 2])


def reading(dice, batch):
    return dice.choice([
        {"type": "gps", "lat": round(dice.uniform(52, 52.1), 6), "lon": dice.choice([13, 13.01, 181]),
         "acc": dice.randrange(30)},
        {"type": "vital", "code": dice.choice([1, 1, 2, 99]), "val": round(dice.uniform(40, 180), 2)},
        {"type": "event", "label": "motion_state", "val_text": dice.choice(["walking", "still"]),
         "metadata": {"batch": batch}}])


# Columns that depend on when a server received something.
HEARD = {"first_seen", "last_seen", "received_at", "first_received_at", "last_received_at",
         "late_at", "clock_skew", "api_key"}
# Queries that print such times, or the time since then.
OF_THE_MOMENT = {"01_where_is_everyone", "07_what_can_be_trusted", "10_quarantine", "12_fleet"}


def is_same(found, expected):
    """Compares two cells; the order of a sum may change its last digits."""
    try:
        return found == expected or math.isclose(float(found), float(expected), rel_tol=1e-9)
    except ValueError:
        return False


def statements(database, without):
    """Every view but these as a whole, for one device and for one day; and the functions."""
    columns = {}
    for line in rows(database, "sluice", """
        select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = attrelid
        where relnamespace = 'analytics'::regnamespace and relkind = 'v' and attnum > 0
        order by 1, attnum"""):
        view, column = line
        if view not in without:
            columns.setdefault(view, []).append(column)
    assert len(columns) > 15
    for view, names in columns.items():
        kept = ", ".join(f'"{name}"' for name in names if name not in HEARD)
        yield f"select {kept} from analytics.{view}"
        yield f"select count(*) from analytics.{view}"
        if "device_id" in names:
            yield f"select {kept} from analytics.{view} where device_id = 'device-3'"
        for time_column in {"time", "day"} & set(names):
            yield (f"select {kept} from analytics.{view} where {time_column} >= current_date - 2 "
                   f"and {time_column} < current_date - 1")
    for gap in ["45 seconds", "30 minutes", "2 hours"]:
        yield f"select * from analytics.sessions_by('{gap}')"
        yield f"select * from analytics.gaps_by('{gap}')"


def rows(database, role, sql):
    return psql_rows(database, role, "--command", sql)


def psql_rows(database, role, *arguments):
    done = database.psql_with(role, "--csv", "--tuples-only", "--quiet", *arguments)
    assert done.returncode == 0, f"{role}: {arguments}\n{done.stdout}"
    return sorted(line.split(",") for line in done.stdout.splitlines())


class Plain(Cluster):
    AUTHENTICATION = "trust"


def compare(cluster, other):
    # While hours are summed, views that Citus reads in parts may miss them for a moment.
    due = "select count(*) from sluice.rollup_due where hour < now() - interval '2 hours'"
    until(lambda: all(rows(database, "sluice", due) == [["0"]] for database in [cluster, other]),
          "all hours that are over are summed", seconds=180)
    # With longer partitions there is room for more days.
    without = {"stored_day"} if cluster.partition_days > 1 else set()
    asked = [("--command", sql) for sql in statements(other, without)]
    asked += [
        ("--set", "device=device-4", "--set", "minutes=1", "--set", "days=30", "--file", file)
        for file in sorted((ROOT / "sql/queries").glob("*.sql"))]
    for role, question in itertools.product(["sluice", "ann"], asked):
        found, expected = (psql_rows(database, role, *question) for database in [cluster, other])
        if getattr(question[-1], "stem", None) in OF_THE_MOMENT:
            continue
        assert len(found) == len(expected), f"{role}: {question}: {found} {expected}"
        for pair in zip(found, expected):
            assert all(itertools.starmap(is_same, zip(*pair, strict=True))), f"{role}: {question}: {pair}"
        assert found or of_apps(question), f"{role}: {question}: there is nothing to compare"


# Views of what apps have; no app has sent anything here.
APPS = {
    "app_user", "calendar_event", "capture", "capture_analysis", "contact", "day_summary", "file",
    "hour_summary", "meal", "meal_item", "memory", "mood"}


def of_apps(question):
    return any(re.search(rf"analytics\.{view}\b", str(question[-1])) for view in APPS)


def test_a_node_that_starts_without_the_coordinator_gets_all_its_lanes(cluster, pair):
    node = pair[0]
    node.start()
    node.stop()
    cluster.kill()
    node.start()
    time.sleep(3)
    cluster.revive()

    def lanes():
        return sum(line.startswith("sluice_lane_up{") for line in node.metrics().splitlines())

    until(lambda: lanes() >= 5 and lanes_not_direct(node) == 0, "lanes for both workers", 180)


def test_an_analyst_comes_and_goes_and_doctor_reads_the_nodes(cluster):
    assert ".pgpass" in cluster.sluice("analyst", "create", "ann").stdout
    cluster.sluice("analyst", "create", "bob")
    # As if the worker had joined when the database had its analysts already.
    worker = cluster.workers[0]
    done = worker.psql_with(
        worker.SUPERUSER, "--dbname", "sluice", "--command",
        "set citus.enable_create_role_propagation = off", "--command", "drop role bob")
    assert done.returncode == 0, done.stdout
    cluster.sluice("analyst", "drop", "ann")
    cluster.sluice("analyst", "drop", "bob")
    names = cluster.administer("select rolname from pg_roles where rolname in ('ann', 'bob')")
    assert names.strip() == ""
    moves = [line for line in cluster.sluice("doctor", ok=False).stdout.splitlines()
             if "shard moves" in line]
    assert moves and "any shard_transfer_mode" in moves[0], moves


@lengths
def test_views_and_commands_say_what_plain_postgresql_says(tmp_path, cluster, query):
    query("insert into sluice.shard_heartbeat values (1, 'gone', 0, now() - interval '1 year')")
    other = Plain(cluster.directory.with_name("plain"))
    # A device's batches use both paths: a row in the wrong shard would be stored again.
    ways = [Node(tmp_path / "direct", "direct", cluster), Node(tmp_path / "around", "around", cluster)]
    ways[1].settings["SLUICE_LANES_TO_NODES"] = "false"
    nodes = [*ways, Node(tmp_path / "plain", "plain", other)]
    dice = random.Random(7)
    try:
        for node in nodes:
            node.start()
        assert lanes_not_direct(ways[0]) == 0 < lanes_not_direct(ways[1])
        for database in [cluster, other]:
            rows(database, "sluice", "select sluice.ensure_days(current_date - 13, current_date + 1)")
        # The last ones are late, and of weeks that are over.
        for batch in itertools.chain(batches(dice), batches(dice, days=12, count=40)):
            found, expected = dice.choice(ways).ingest(batch), nodes[2].ingest(batch)
            assert found == expected and found[0] == 200, (found, expected)
        cluster.sluice("analyst", "create", "ann")
        done = other.psql_with(
            other.SUPERUSER, "--command", "create role ann login in role sluice_reader")
        assert done.returncode == 0, done.stdout
        compare(cluster, other)
        cluster.sluice("rollups", "rebuild")
        compare(cluster, other)
        commands(cluster, ways[0])
        archive(cluster, tmp_path)
        # Three minutes after the start.
        until(lambda: number(query, "select count(*) from sluice.shard_heartbeat where node = 'gone'") == 0,
              "heartbeats of nodes that are gone are swept", seconds=300)
    finally:
        for node in nodes:
            if node.is_running:
                node.stop()
        other.stop()


def commands(cluster, node):
    """The operator's commands; each must return its result."""
    for source in ["gps", "vital", "event", "vital_minute", "distance_minute", "quarantine", "device",
                   "completeness"]:
        lines = cluster.sluice("export", source, "--user", "user-3").stdout.splitlines()
        assert len(lines) > 1, source
    assert "<trkpt" in cluster.sluice("export", "tracks", "--device", "device-3").stdout
    assert "device-3" in cluster.sluice("device", "show", "device-3").stdout
    for words in [["quarantine", "list"], ["units", "list"], ["jobs", "list"], ["keys", "list"],
                  ["analyst", "list"], ["epoch", "show"]]:
        cluster.sluice(*words)
    report = cluster.sluice("doctor", ok=False).stdout
    assert "Citus" in report and "unreachable" not in report, report
    headers = {"Authorization": f"Bearer {Sluice.APP_KEY}"}
    for path in ["/status", "/status/positions", "/metrics"]:
        assert ask(node.url + path, headers=headers)[0] == 200, path
    cluster.sluice("forget", "user-3", "--yes")
    assert not rows(cluster, "sluice", "select 1 from analytics.gps where device_id = 'device-3'")


def archive(cluster, place):
    """The oldest partitions are archived and restored."""
    first = "current_date - 2" if cluster.partition_days == 1 else "date_trunc('week', current_date - 2)"
    oldest = f"select count(*) from analytics.reading where time < {first}"
    before = rows(cluster, "sluice", oldest)
    assert before != [["0"]]
    files = place / "archive"
    files.mkdir()
    settings = ["--set", "SLUICE_RETENTION_DAYS=2", "--set", f"SLUICE_ARCHIVE_DIRECTORY={files}"]
    cluster.sluice("archive", "run", *settings)
    assert rows(cluster, "sluice", oldest) == [["0"]]
    cluster.sluice("archive", "verify", *settings)
    cluster.sluice("archive", "restore", "--from", "2000-01-01", "--to", "2100-01-01", *settings)
    assert rows(cluster, "sluice", oldest) == before
