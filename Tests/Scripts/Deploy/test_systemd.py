"""The unit, checked with systemd's own tools, and the protocol of Type=notify."""

import configparser
import os
import re
import signal
import socket

import pytest
from programs import BINARY, DEPLOY, ENVIRONMENT, run
from sluice import Sluice

UNIT = DEPLOY / "systemd/sluice.service"


@pytest.fixture(scope="module")
def unit(tmp_path_factory):
    """The unit with existing programs, because verify requires that."""
    text = UNIT.read_text()
    assert "/usr/local/bin/sluice" in text
    path = tmp_path_factory.mktemp("units") / "sluice.service"
    path.write_text(text.replace("/usr/local/bin/sluice", BINARY))
    return path


def test_systemd_has_nothing_against_the_backup(tmp_path):
    service = tmp_path / "sluice-backup.service"
    text = (UNIT.parent / service.name).read_text()
    assert "/usr/local/lib/sluice/backup/nightly" in text
    service.write_text(text.replace("/usr/local/lib/sluice/backup/", f"{DEPLOY}/backup/"))
    timer = tmp_path / "sluice-backup.timer"
    timer.write_text((UNIT.parent / timer.name).read_text())
    assert run("systemd-analyze", "verify", timer, service).stdout == ""


def test_the_unit_decides_no_setting():
    """The file does, which commands read, too."""
    assert re.findall("^Environment(?:=SLUICE|File=).*", UNIT.read_text(), re.MULTILINE) == []


def test_the_unit_is_installed_as_the_document_says():
    head = UNIT.read_text().split("[Unit]")[0]
    steps = re.findall("^#   (.*)", head, re.MULTILINE)
    block = re.search(r"^## systemd\n\n```sh\n(.*?)^```", (DEPLOY / "README.md").read_text(), re.M | re.S)
    assert block[1].splitlines() == steps and "sysusers" in block[1]


@pytest.fixture(scope="module")
def service():
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(UNIT)
    return parser["Service"]


def test_systemd_has_nothing_against_it(unit):
    assert run("systemd-analyze", "verify", unit).stdout == ""


def test_systemd_finds_little_exposed(unit):
    text = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
    level = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", text)[1])
    assert level <= 1.2, text


def test_the_user_is_a_static_one_whose_data_commands_reach(service, tmp_path):
    assert "DynamicUser" not in service
    (tmp_path / "etc").mkdir()
    run("systemd-sysusers", f"--root={tmp_path}", DEPLOY / "systemd/sluice.sysusers")
    names = [line.split(":")[0] for line in (tmp_path / "etc/passwd").read_text().splitlines()]
    assert names == [service["User"]]


def seconds(text):
    number, unit_ = re.fullmatch(r"(\d+)(s|min)", text).groups()
    return int(number) * {"s": 1, "min": 60}[unit_]


def defaults():
    text = (DEPLOY / "sluice.conf.example").read_text()
    return dict(re.findall(r"^#([A-Z0-9_]+)=(.*)$", text, re.MULTILINE))


def test_the_limits_fit_the_defaults(service):
    files = int(defaults()["SLUICE_CONNECTIONS_MAX"]) + int(defaults()["SLUICE_SOCKETS_MAX"])
    assert int(service["LimitNOFILE"]) > 2 * files
    drain = sum(
        seconds(defaults()[key])
        for key in ["SLUICE_SHUTDOWN_WITHIN", "SLUICE_ATTEMPT_MAX", "SLUICE_JOB_STOP_MAX"])
    assert seconds(service["TimeoutStopSec"]) > drain
    assert service["KillMode"] == "mixed", "the server stops its own PostgreSQL"


@pytest.fixture(scope="module")
def filter_of_calls(service):
    """The calls that the unit's filter allows, according to systemd's own lists."""
    sets, current = {}, None
    for line in run("systemd-analyze", "syscall-filter", "--no-pager").stdout.splitlines():
        if line.startswith("@"):
            current = sets.setdefault(line.strip(), [])
        elif line.startswith(" ") and not line.strip().startswith("#"):
            current.append(line.strip())

    def members(name):
        if not name.startswith("@"):
            return {name}
        return set().union(*(members(part) for part in sets[name]))

    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.MULTILINE):
        names = line.lstrip("~").split()
        calls = set().union(*(members(name) for name in names))
        allowed = allowed - calls if line.startswith("~") else allowed | calls
    return allowed


# Calls that strace found in a server, its PostgreSQL, its file inspectors and its clients.
NEEDED = """
    accept4 alarm bind clone clone3 close connect copy_file_range dup2 epoll_create1 epoll_ctl epoll_wait
    eventfd2 execve fallocate fcntl fdatasync flock fstat fsync ftruncate futex getdents64
    getrandom getsockname getsockopt ioctl kill listen lseek madvise memfd_create mkdir mmap mprotect
    munmap newfstatat openat pipe pipe2 poll prctl pread64 prlimit64 pwrite64 pwritev read readv recvfrom rename
    rt_sigaction rt_sigprocmask sched_getaffinity sendfile sendmsg sendto setpgid setpriority setsid
    setsockopt
    shmat shmctl shmget shutdown socket statfs sync_file_range sysinfo timerfd_create
    timerfd_settime unlink wait4 write writev""".split()


def test_the_filter_lets_through_what_is_needed(filter_of_calls):
    assert set(NEEDED) - filter_of_calls == set()
    assert {"mount", "ptrace", "bpf", "setuid", "chroot", "init_module"} & filter_of_calls == set()


def test_the_server_tells_its_supervisor_how_it_is(tmp_path, cluster):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(f"\0sluice-{os.getpid()}")
        supervisor.settimeout(60)

        def heard(first):
            """The next message with this beginning; the others are heartbeats."""
            for _ in range(100):
                lines = supervisor.recv(4096).decode().split("\n")
                if lines[0] == first:
                    return lines
                assert lines[0] == "WATCHDOG=1", lines
            raise AssertionError(first)

        server = Sluice(
            tmp_path / "sluice", cluster, {
                "NOTIFY_SOCKET": f"@sluice-{os.getpid()}", "WATCHDOG_USEC": "1500000",
                "SLUICE_SHUTDOWN_WITHIN": "7s"})
        with server:
            assert heard("READY=1")[1] == f"STATUS=serving on port {server.port}"
            assert heard("WATCHDOG=1") == ["WATCHDOG=1", "STATUS=serving"]
            server.program.process.send_signal(signal.SIGHUP)
            assert heard("RELOADING=1")[1].startswith("MONOTONIC_USEC=")
            assert heard("READY=1")
            cluster.stop()
            for _ in range(40):
                status = heard("WATCHDOG=1")[1]
                if status != "STATUS=serving":
                    break
            assert status == "STATUS=the database is unreachable; batches go to the spool"
            cluster.start()
        lines = heard("STOPPING=1")
        assert lines[1] == "STATUS=stopping"
        assert 7_000_000 < int(lines[2].removeprefix("EXTEND_TIMEOUT_USEC=")) < 120_000_000


def test_health_is_asked_of_the_configured_server(server):
    asked = ["--set", f"SLUICE_PORT={server.port}"]
    assert run(BINARY, "health", *asked, env=ENVIRONMENT).stdout == "ok\n"
    url = ["--url", f"{server.url}/nothing"]
    assert run(BINARY, "health", *url, env=ENVIRONMENT, ok=False).returncode == 69
    nobody = ["--set", "SLUICE_PORT=1"]
    assert run(BINARY, "health", *nobody, env=ENVIRONMENT, ok=False).returncode == 69
