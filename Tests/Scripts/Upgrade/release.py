#!/usr/bin/env python3
"""Keeps what a release leaves on disk, for the tests of later ones: a dump of its database, and its data
directory with a spool of acknowledged batches that have not reached the database.

usage: PYTHONPATH=Tests/Scripts/Support .build-python/bin/python Tests/Scripts/Upgrade/release.py BINARY
  BINARY    the sluice of the release

Writes releases/VERSION beside this file, and replaces what is there:

  database.sql.gz   pg_dump of the database, with its rows, without owners
  data.tar.gz       the data directory, without the folders for files of users, which are empty
  answers.json      queries, and what the release itself answers once the spool is replayed
"""

import gzip
import io
import json
import os
import pathlib
import sys
import tarfile
import tempfile

import programs

RELEASES = pathlib.Path(__file__).parent / "releases"
DAY = "2026-11-20"
# By default the name of the machine.
SETTINGS = {"SLUICE_NODE": "a"}
QUERIES = [
    "select device_id, user_id, time, metric, value from analytics.vital order by 1, 3, 4",
    "select device_id, user_id, time, latitude, longitude, accuracy_m from analytics.gps order by 1, 3",
    "select device_id, user_id, time, label, value, metadata from analytics.event order by 1, 3",
    "select reason, readings from analytics.quarantine_by_reason order by 1",
    "select raw_input, status, total_calories from sluice.meal_log order by 1",
]


def batch(device, minute):
    time = f"{DAY}T10:{minute:02}:00Z"
    return {
        "metadata": {"device_id": device, "user_id": "po-lin", "model_name": "Watch 7"},
        "data": [
            {"t": time, "type": "vital", "code": 1, "val": 60 + minute},
            {"t": time, "type": "vital", "code": 20, "val": 10.5 * minute},
            {"t": time, "type": "gps", "lat": 48.1, "lon": 11.5 + minute / 100, "acc": 5},
            {"t": time, "type": "event", "label": "step", "val_text": f"é {minute}", "metadata": {"a": [1]}},
            {"t": time, "type": "vital", "code": 1, "val": 0.5e-300}]}


def meal(server, words):
    """The status of the answer."""
    body = {"raw_input": words, "meal_type": "breakfast"}
    return programs.ask(
        server.url + "/api/v1/meal-logs/natural?user_id=po-lin", json.dumps(body).encode(),
        {"Authorization": f"Bearer {server.APP_KEY}", "Content-Type": "application/json",
         "Idempotency-Key": words})[0]


def answers(cluster, queries):
    found = {}
    for query in queries:
        done = cluster.psql("sluice", f"set timezone = 'UTC'; {query}")
        assert done.returncode == 0, done.stdout
        found[query] = done.stdout.splitlines()[1:]
    return found


def replayed(server, cluster):
    programs.until(lambda: server.spooled() == 0, "replayed")
    programs.until(
        lambda: cluster.psql(
            "sluice", "select count(*) from sluice.meal_log where status <> 'completed'"
        ).stdout.splitlines()[1:] == ["0"], "meals are read")


def zipped(content):
    """Without a time in the header, so that the same content gives the same bytes."""
    return gzip.compress(content, mtime=0)


def tar(directory):
    """The files of a directory, without their owners."""

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        paths = [path for path in directory.rglob("*") if "media" not in path.relative_to(directory).parts]
        for path in sorted(paths):
            archive.add(path, path.relative_to(directory), recursive=False, filter=plain)
    return buffer.getvalue()


def keep(binary, place):
    # They read the variable when they are imported.
    from cluster import Cluster
    from sluice import Sluice

    version = programs.run(binary, "--version", env=programs.ENVIRONMENT).stdout.split()[0]
    cluster = Cluster(place / "postgres")
    try:
        server = Sluice(place / "sluice", cluster, SETTINGS)
        with server:
            for device in ["watch-7", "phone-1"]:
                status, answer = server.ingest(batch(device, 1))
                assert (status, answer["stored"], answer["quarantined"]) == (200, 4, 1), answer
            assert meal(server, "2 scrambled eggs") == 201
            replayed(server, cluster)
            # What is sent now stays in the spool.
            cluster.tool("pg_ctl", "stop", "-w", "-D", cluster.data, "-m", "fast")
            programs.until(
                lambda: server.ingest(batch("watch-7", 2))[0] == 202, "the spool takes batches")
            assert server.ingest(batch("phone-1", 3))[0] == 202
            assert meal(server, "a banana") == 202
            server.kill()
        data = tar(server.data)
        cluster.start()
        dump = place / "database.sql"
        programs.run(
            "pg_dump", "--no-owner", f"--file={dump}", f"--host={cluster.directory}",
            f"--port={cluster.port}", "--username=postgres", "sluice", env=programs.ENVIRONMENT)
        with server:
            replayed(server, cluster)
            found = answers(cluster, QUERIES)
    finally:
        cluster.stop()
    directory = RELEASES / version
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "database.sql.gz").write_bytes(zipped(dump.read_bytes()))
    (directory / "data.tar.gz").write_bytes(zipped(data))
    (directory / "answers.json").write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    for file in sorted(directory.iterdir()):
        print(file, file.stat().st_size)


if __name__ == "__main__":
    [word] = sys.argv[1:]
    programs.BINARY = os.path.realpath(word)
    with tempfile.TemporaryDirectory() as name:
        # PostgreSQL's user may enter.
        os.chmod(name, 0o755)
        keep(programs.BINARY, pathlib.Path(name))
