"""The databases and spools of earlier releases, as release.py kept them, with this binary."""

import gzip
import json
import tarfile

import pytest
from cluster import Cluster
from programs import BINARY, ENVIRONMENT, open_directory, run
from release import RELEASES, SETTINGS, answers, batch, replayed
from sluice import Sluice

KEPT = sorted(path for path in RELEASES.iterdir() if path.is_dir())


@pytest.mark.parametrize("release", KEPT, ids=lambda path: path.name)
def test_what_a_release_left_is_taken_over(release, tmp_path_factory):
    """Its schema is migrated, its rows stay, and its spool reaches the database once."""
    place = open_directory(tmp_path_factory, "release")
    cluster = Cluster(place / "postgres")
    try:
        dump = place / "database.sql"
        dump.write_bytes(gzip.decompress((release / "database.sql.gz").read_bytes()))
        done = cluster.psql_with("sluice", "--quiet", "--file", dump)
        assert done.returncode == 0, done.stdout
        cluster.psql("postgres", "grant set on parameter sluice.accepted to sluice")
        server = Sluice(place / "sluice", cluster, SETTINGS)
        with tarfile.open(release / "data.tar.gz") as archive:
            archive.extractall(server.data)
        settings = {"SLUICE_DATA_DIR": str(server.data), "DATABASE_URL": cluster.address("sluice")}
        with server:
            # A restored dump is another database than the one the spool was written for.
            run(BINARY, "epoch", "accept", "--yes", env=ENVIRONMENT | settings)
            replayed(server, cluster)
            expected = json.loads((release / "answers.json").read_text())
            assert answers(cluster, expected) == expected
            status, answer = server.ingest(batch("watch-7", 2))
            assert (status, answer["stored"], answer["duplicates"]) == (200, 0, 4), answer
    finally:
        cluster.stop()
