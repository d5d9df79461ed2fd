"""No reading is lost, none is stored twice, and sockets and jobs continue."""

import collections
import os
import time

import pytest
from programs import ask, until
from proxies import AWAY
from sluice import Sluice

OLDER = os.environ.get("SLUICE_OLDER_BINARY")
BUSY = "select count(*) from sluice.job where kind in ('capture.analyse', 'meal.parse')"


def number(query, sql):
    return int(query(sql))


def settle(pair, fleet, crowd, query):
    """Waits for some more answers, then stops all clients, and waits until all work is done."""
    fleet.until(200)
    captures, logs = len(crowd.captures), len(crowd.logs)
    until(lambda: len(crowd.captures) > captures + 5 and len(crowd.logs) > logs + 2, "apps go on")
    fleet.stop()
    crowd.stop_sending()
    until(lambda: sum(node.spooled() for node in pair) == 0, "spools are empty")
    until(lambda: number(query, BUSY) == 0, "jobs are done")
    time.sleep(1)
    crowd.stop()


def check(fleet, crowd, query, dying=2.0):
    """Compares the answers to all clients with the stored rows."""
    acknowledged = fleet.copy()
    missing = set(acknowledged) - fleet.stored(query)
    assert not missing, f"{len(missing)} of {len(acknowledged)} readings are lost"
    captures = query("select capture_id from sluice.capture").split()
    assert set(crowd.captures) <= set(captures) and len(captures) == len(set(captures))
    done = query("select meal_log_id from sluice.meal_log where status = 'completed'").split()
    assert set(crowd.logs) <= set(done)
    told_of_captures(crowd, query, dying)
    return told_of_meals(crowd)


def told_of_captures(crowd, query, dying):
    """Every socket receives each notice that was posted while it was open, once."""
    rows = query(
        "select user_id, split_part(payload, e'\\n', 2)::json->>'captureId', "
        "extract(epoch from posted_at) from sluice.notice where topic = 'memory'")
    notices = [row.split(",") for row in rows.splitlines()]
    heard = 0
    for sender, listener in zip(crowd.capturing, crowd.listening):
        for connection in sender.connections + listener.connections:
            told = collections.Counter(
                frame["captureId"] for frame in connection.frames
                if frame["type"] == "memory_processed")
            heard += len(told)
            assert max(told.values(), default=0) <= 1, told
            for user, capture, posted in notices:
                if user == sender.user and (
                    connection.opened + 1 < float(posted) < connection.closed - dying):
                    assert told[capture], f"{capture} was not told"
    assert heard > len(crowd.captures)


def told_of_meals(crowd):
    """Every result arrives once; returns how many were sent again on a later socket."""
    again = 0
    for app in crowd.eating:
        told = collections.Counter()
        for connection in app.connections:
            here = collections.Counter(
                frame["data"]["id"] for frame in connection.frames
                if frame["type"] == "meal_log.completed")
            assert max(here.values(), default=0) <= 1, here
            told += here
        assert set(app.logs) <= set(told), set(app.logs) - set(told)
        again += sum(told.values()) - len(told)
    return again


def test_either_node_is_killed(pair, traffic, query, capsys):
    for node in pair:
        node.start()
    fleet, crowd = traffic()
    fleet.until(200)
    for node, name in [(pair[0], "node-a"), (pair[1], "node-b"), (pair[0], "node-a")]:
        node.kill()
        time.sleep(0.5)
        fleet.until(200)
        # The other node has taken over its jobs.
        until(lambda name=name: not number(
            query, f"select count(*) from sluice.job where lease_owner = '{name}'"),
            "jobs are taken over", seconds=15)
        node.start()
        time.sleep(1)
    settle(pair, fleet, crowd, query)
    again = check(fleet, crowd, query)
    assert any(len(app.connections) > 1 for app in crowd.listening)
    # A node may die between the delivery of a result and the end of its row.
    assert again <= 3
    with capsys.disabled():
        print(f"\nkilled: answers {dict(fleet.statuses)}, {len(crowd.captures)} captures, "
              f"{len(crowd.logs)} meals, {again} told again")


def test_both_are_restarted_in_turn(pair, traffic, query, capsys):
    for node in pair:
        node.start()
    fleet, crowd = traffic()
    fleet.until(200)
    for node in pair:
        node.restart()
        # As the example says.
        time.sleep(2)
    settle(pair, fleet, crowd, query)
    again = check(fleet, crowd, query, dying=1.0)
    assert again == 0
    # Requests on a connection that was just being closed.
    assert not fleet.statuses[None] and fleet.statuses[503] <= 20, fleet.statuses
    with capsys.disabled():
        print(f"\nrestarted: answers {dict(fleet.statuses)}, {len(crowd.captures)} captures, "
              f"{len(crowd.logs)} meals")


def lose_connections(cluster):
    for server in cluster.servers:
        done = server.psql(
            "sluice", "select count(pg_terminate_backend(pid)) from pg_stat_activity "
            "where application_name like 'sluice%' and pid <> pg_backend_pid()")
        assert done.returncode == 0, done.stdout


TABLES = [
    "gps", "vital", "event", "gps_rollup", "vital_rollup", "device", "device_state", "quarantine",
    "capture", "meal_log", "meal_log_item", "app_user", "notice", "undelivered", "api_key"]


@pytest.mark.parametrize("leaves_behind", [False, True])
def test_a_newer_node_migrates_the_schema(cluster, pair, traffic, query, leaves_behind):
    """A newer binary changes the schema, and these two nodes continue or are excluded."""
    for node in pair:
        node.start()
    fleet, crowd = traffic()
    fleet.until(200)
    # Nodes that may continue do not know the new columns.
    for table in TABLES:
        query(f"set lock_timeout = '20s'; alter table sluice.{table} add newer integer; select 1")
    query(
        "insert into sluice.migration (number, name, checksum, oldest_binary) "
        f"select max(number) + 1, 'newer', '', max(number) + {int(leaves_behind)} "
        "from sluice.migration; select 1")
    # Open connections continue.
    fleet.until(200)
    spooled = fleet.statuses[202]
    lose_connections(cluster)
    if leaves_behind:
        fleet.until(202)
        assert "use the newer sluice" in pair[0].refused()
        fleet.until(202)
    else:
        fleet.until(200, 60)
        pair[0].restart()
        assert "may go on beside it" in pair[0].log.read_text()
        fleet.until(200, 60)
        assert fleet.statuses[202] - spooled < 100
        eater = crowd.eating[0]
        status, body, _ = ask(
            f"{pair[1].url}/api/v1/meal-logs/{eater.logs[0]}?user_id={eater.user}",
            headers={"Authorization": f"Bearer {Sluice.APP_KEY}"})
        assert status == 200, body
    # For these binaries this is like an upgrade: the schema is theirs again.
    query("delete from sluice.migration where name = 'newer'; select 1")
    if leaves_behind:
        pair[0].start()
    fleet.until(200)
    settle(pair, fleet, crowd, query)
    check(fleet, crowd, query)


@pytest.mark.skipif(not OLDER, reason="SLUICE_OLDER_BINARY names no older sluice")
def test_two_older_nodes_are_upgraded_in_turn(cluster, pair, traffic, query, capsys):
    for node in pair:
        node.start(OLDER)
    before = number(query, "select count(*) from sluice.migration")
    fleet, crowd = traffic()
    fleet.until(200)
    pair[0].restart()
    after = number(query, "select count(*) from sluice.migration")
    assert after > before
    fleet.until(200)
    # The older node works with the newer schema while its connections last, then it spools.
    lose_connections(cluster)
    time.sleep(3)
    between = dict(fleet.statuses)
    spooled = pair[1].spooled()
    refusal = pair[1].refused(OLDER)
    assert "use the newer sluice" in refusal or "this binary knows" in refusal
    pair[1].start()
    settle(pair, fleet, crowd, query)
    check(fleet, crowd, query)
    with capsys.disabled():
        print(f"\nupgraded from schema {before} to {after}: answers by then {between}, "
              f"{spooled:.0f} in the older one's spool")


def test_nginx_says_itself_that_nobody_is_there(pair, base):
    """Each system's error format."""
    for path, body in AWAY.items():
        status, answer, headers = ask(base + path, b"{}", {"X-API-Key": Sluice.KEY})
        assert status == 503 and body in answer, (status, answer)
        assert headers["Retry-After"] == "1"
        assert headers["Content-Type"] == "application/json"
