"""The package from installation to removal, in the order of a machine's life."""

import re

from programs import ROOT

SERVICE = "runuser -u sluice -- sluice {} --config /etc/sluice/sluice.conf"


def first_minute():
    """The commands that README.md says to paste when the server runs."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    text = next(block for block in blocks if block.startswith("curl -X POST") and "psql" in block)
    assert ".build/release/sluice psql" in text and "cat var/ingest.key" in text
    return text.replace(".build/release/sluice", "sluice")


def service_minute():
    """The same commands with the service."""
    return first_minute().replace("var/ingest.key", "/var/lib/sluice/ingest.key").replace(
        "sluice psql", SERVICE.format("psql"))


def arrived(text):
    return '"stored":1,' in text and "watch-7" in text


def test_apt_installs_it_and_what_it_needs(machine):
    said = machine.run("apt-get install --yes /sluice.deb").stdout
    assert "systemctl enable --now sluice" in said
    assert machine.run("dpkg --verify sluice").stdout == ""
    for program in "/usr/bin/sluice", "/usr/lib/sluice/sluice-inspect":
        assert "not found" not in machine.run(f"ldd {program}").stdout
    assert machine.run("command -v swift cc", ok=False).returncode == 1


def test_nothing_runs_before_somebody_says_so(machine):
    state = machine.run("systemctl is-enabled sluice; systemctl is-active sluice", ok=False).stdout
    assert state.split() == ["disabled"]
    assert machine.run("systemctl is-active sluice", ok=False).stdout == "inactive\n"


def test_its_files_belong_to_whom_they_should(machine):
    said = machine.run("stat --format='%A %U:%G' /etc/sluice/sluice.conf /var/lib/sluice").stdout
    assert said.splitlines() == ["-rw-r----- root:sluice", "drwx------ sluice:sluice"]


def test_systemd_has_nothing_against_the_unit(machine):
    assert machine.run("systemd-analyze verify --man=no sluice.service").stdout == ""


def test_the_manual_has_every_command(machine):
    page = machine.run("zcat /usr/share/man/man1/sluice.1.gz").stdout
    commands = re.findall(r"^  ([a-z]+) ", machine.run("sluice --help").stdout, re.MULTILINE)
    assert re.findall(r"^\.TP\n\.B ([a-z]+)$", page, re.MULTILINE) == commands
    assert len(commands) > 10


def test_bash_completes_commands(machine):
    said = machine.run(
        "set +u; source /usr/share/bash-completion/completions/sluice; COMP_LINE='sluice doc'; "
        "COMP_POINT=10; COMP_WORDS=(sluice doc); COMP_CWORD=1; _sluice sluice doc sluice; "
        "echo \"${COMPREPLY[@]}\"").stdout
    assert said.split() == ["doctor"]


def test_root_gets_through_the_first_minute(machine):
    said = machine.run("""
        sluice serve &
        trap "kill $!; wait $!" EXIT
        until curl --silent --fail http://127.0.0.1:8080/health; do kill -0 $!; sleep 0.2; done
        """ + first_minute()).stdout
    assert arrived(said), said


def test_the_service_does_too(machine):
    machine.run("systemctl enable --now sluice")
    said = machine.run(service_minute()).stdout
    assert arrived(said), said
    assert machine.run("ps -o user= -C sluice").stdout.split() == ["sluice"]
    machine.run("systemctl reload sluice")
    doctor = machine.run(SERVICE.format("doctor"), ok=False)
    assert doctor.returncode in {0, 1}, doctor.stdout


def test_it_stores_in_debians_own_cluster_without_a_password(machine):
    machine.run("systemctl stop sluice; find /var/lib/sluice -mindepth 1 -delete")
    machine.run("runuser -u postgres -- createuser sluice")
    machine.run("runuser -u postgres -- createdb --owner sluice sluice")
    machine.run("echo DATABASE_URL=postgresql:///sluice >>/etc/sluice/sluice.conf")
    machine.run("systemctl start sluice")
    said = machine.run(service_minute()).stdout
    assert arrived(said), said
    machine.run("test ! -e /var/lib/sluice/postgres")


def test_an_upgrade_restarts_it_and_keeps_settings_and_data(machine):
    machine.run("echo SLUICE_LOG_LEVEL=debug >>/etc/sluice/sluice.conf")
    before = machine.run("systemctl show --property=MainPID sluice").stdout
    machine.run("apt-get install --yes --reinstall /sluice.deb")
    assert machine.run("systemctl is-active sluice").stdout == "active\n"
    assert machine.run("systemctl show --property=MainPID sluice").stdout != before
    assert "debug" in machine.run("tail -n 1 /etc/sluice/sluice.conf").stdout
    said = machine.run(SERVICE.format("psql") + " -c 'select device_id from analytics.vital'").stdout
    assert "watch-7" in said


def test_its_removal_stops_it_and_keeps_settings_and_data(machine):
    machine.run("apt-get remove --yes sluice")
    assert machine.run("ps -C sluice,postgres -o user=", ok=False).stdout.count("sluice") == 0
    machine.run("test -e /etc/sluice/sluice.conf; test -e /var/lib/sluice/spool")


def test_a_purge_removes_settings_and_keeps_data(machine):
    said = machine.run("dpkg --purge sluice").stdout
    assert "rm -r /var/lib/sluice" in said
    machine.run("test -e /var/lib/sluice/spool; test ! -e /etc/sluice")
    machine.run("test ! -L /etc/systemd/system/multi-user.target.wants/sluice.service")
