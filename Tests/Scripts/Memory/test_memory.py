"""Memory runs out under load: of the server, and of PostgreSQL. What was acknowledged is stored once.

The server gets no more memory from the kernel (RLIMIT_DATA), and ends at the first allocation that
fails. Of PostgreSQL a backend is killed while it copies rows, as the kernel does when memory is
short: then all backends are ended, and the cluster recovers from its log.
"""

import collections
import contextlib
import os
import re
import resource
import signal
import time

import pytest
from fleet import Fleet
from programs import until
from sluice import Sluice

SETTINGS = {"SLUICE_BACKOFF_MAX": "200ms", "SLUICE_REPLAY_RETRY": "200ms",
            # A crash is expected.
            "SWIFT_BACKTRACE": "enable=no"}


class Backlogs(Fleet):
    """Devices with much to send, now and then."""

    READINGS, PAUSE = 4000, 2

    def _send(self, device, numbers):
        time.sleep(self.PAUSE)
        return super()._send(device, numbers)


@pytest.fixture
def server(tmp_path, cluster):
    server = Sluice(tmp_path / "server", cluster, SETTINGS)
    server.start()
    yield server
    if server.is_running:
        server.kill()


@pytest.fixture
def fleets(server):
    """Many small batches, and some that need megabytes."""
    fleets = [Fleet(server.url, server.KEY, devices=4), Backlogs(server.url, server.KEY, devices=8)]
    yield fleets
    for fleet in fleets:
        fleet.stopping.set()


def check(server, cluster, fleets):
    """Every acknowledged reading is stored, and none twice. Returns the number, by status."""
    for fleet in fleets:
        fleet.stop()
    until(lambda: server.spooled() == 0, "the spool is replayed")
    statuses = collections.Counter()
    for fleet in fleets:
        acknowledged = fleet.copy()
        lost = set(acknowledged) - fleet.stored(cluster.rows)
        assert not lost, f"{len(lost)} of {len(acknowledged)} readings are lost, as {min(lost)}"
        statuses.update(acknowledged.values())
    return statuses


def exhaust(server):
    """Lets the server have little more memory than it has. Returns how it ended, a signal."""
    process = server.program.process
    with open(f"/proc/{process.pid}/status") as status:
        kilobytes = int(re.search(r"^VmData:\s+(\d+) kB$", status.read(), re.M).group(1))
    limit = (kilobytes << 10) + (1 << 20)
    resource.prlimit(process.pid, resource.RLIMIT_DATA, (limit, limit))
    until(lambda: process.poll() is not None, "the server ends for want of memory")
    assert process.returncode < 0, f"status {process.returncode}: {server.program.text}"
    return signal.Signals(-process.returncode).name


def test_the_server_has_no_memory(server, cluster, fleets, capsys):
    ends = []
    for is_database_away in [False, True, False, True]:
        fleets[0].until(200)
        if is_database_away:
            cluster.stop()
            fleets[0].until(202)
        ends.append(exhaust(server))
        # Without the limit, as a supervisor would.
        server.start()
        if is_database_away:
            cluster.start()
    fleets[0].until(200)
    statuses = check(server, cluster, fleets)
    with capsys.disabled():
        print(f"\nended with {', '.join(ends)}; readings by status {dict(statuses)}, 0 lost, 0 twice")
    assert statuses[200] > 0 and statuses[202] > 0


def kill_while_it_copies(cluster):
    """Kills a backend in the middle of a COPY. Returns its process id."""
    copying = "state = 'active' and query ilike 'copy %' and application_name like 'sluice lane%'"

    def is_killed():
        for backend in cluster.rows(f"select pid from pg_stat_activity where {copying}").split():
            with contextlib.suppress(ProcessLookupError):
                # Stopped, it can't leave the COPY before it is killed.
                os.kill(int(backend), signal.SIGSTOP)
                if cluster.rows(f"select 1 from pg_stat_activity where pid = {backend} and {copying}"):
                    os.kill(int(backend), signal.SIGKILL)
                    return backend
                os.kill(int(backend), signal.SIGCONT)

    return until(is_killed, "a backend copies rows")


def test_a_backend_is_killed_for_memory(server, cluster, fleets, capsys):
    killed = []
    for _ in range(5):
        fleets[0].until(200)
        killed.append(kill_while_it_copies(cluster))
        # The others are ended and the log is replayed; then sessions can begin again.
        said = f"PID {killed[-1]}) was terminated by signal 9"
        until(lambda: said in (cluster.directory / "log").read_text(), "the postmaster sees it")
        until(lambda: cluster.psql("sluice", "select 1").returncode == 0, "it accepts sessions")
        time.sleep(0.2)
    fleets[0].until(200)
    recoveries = (cluster.directory / "log").read_text().count("automatic recovery in progress")
    assert recoveries >= len(killed)
    assert server.is_running
    statuses = check(server, cluster, fleets)
    with capsys.disabled():
        print(f"\n{len(killed)} backends killed, {recoveries} recoveries; readings by status "
              f"{dict(statuses)}, 0 lost, 0 twice")
