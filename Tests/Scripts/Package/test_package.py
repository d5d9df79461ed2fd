"""The package from installation to removal, in the order of a machine's life."""

import base64
import re

from programs import ROOT

# What README.md says to paste: two lines that install and start, and the first minute.
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
INSTALL, ENABLE = BLOCKS[0].splitlines()
FIRST_MINUTE = BLOCKS[1]
DOCUMENTS = "usr/share/doc/sluice"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")


def arrived(text):
    return '"stored":1,' in text and "watch-7" in text


def test_apt_installs_it_and_what_it_needs(machine):
    said = machine.run(INSTALL).stdout
    print(re.search(r"\n(\d+ upgraded.*\n)(?:Need.*\n)?(After.*)", said).group())
    assert "systemctl enable --now sluice" in said
    assert machine.run("dpkg --verify sluice").stdout == ""
    assert "not found" not in machine.run("ldd /usr/bin/sluice").stdout
    version, commit = re.fullmatch(
        r"(\S+) \(commit ([0-9a-f]{12}(?:-changed)?)\)\n", machine.run("sluice --version").stdout).groups()
    fields = machine.run("dpkg-query --show --showformat='${Version} ${Vcs-Commit}' sluice").stdout
    assert fields == f"{version} {commit}", fields
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


def test_its_documents_link_to_what_is_there(machine):
    documents = machine.root / DOCUMENTS
    broken = []
    for page in documents.rglob("*.md"):
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            path = page.parent / link
            if path.is_symlink():
                path = machine.root / path.readlink().relative_to("/")
            if "://" not in link and not path.exists():
                broken.append(f"{page.relative_to(documents)}: {link}")
    assert broken == []


def test_it_brings_the_client_for_devices(machine):
    client = (machine.root / "usr/share/sluice/sluice_client.py").read_bytes()
    assert client == (ROOT / "Sources/Client/Python/sluice_client.py").read_bytes()
    assert "/usr/share/sluice/sluice_client.py" in (machine.root / DOCUMENTS / "deploy/clients.md").read_text()


def test_root_gets_through_the_first_minute(machine):
    said = machine.run("""
        export SLUICE_DATA_DIR=var
        sluice serve &
        trap "kill $!; wait $!" EXIT
        until curl --silent --fail http://127.0.0.1:8080/health; do kill -0 $!; sleep 0.2; done
        """ + FIRST_MINUTE.replace("/var/lib/sluice/", "var/").replace("sudo ", "")).stdout
    assert arrived(said), said


def test_the_service_does_too(machine):
    machine.run(ENABLE)
    said = machine.run(FIRST_MINUTE).stdout
    assert arrived(said), said
    assert machine.run("ps -o user= -C sluice").stdout.split() == ["sluice"]
    machine.run("systemctl reload sluice")
    doctor = machine.run("sluice doctor", ok=False)
    assert doctor.returncode in {0, 1} and "/var/lib/sluice" in doctor.stdout, doctor.stdout
    assert "ingest.key" in machine.run("sluice keys list").stdout
    owners = machine.run("find /var/lib/sluice -printf '%u\\n' | sort --unique").stdout
    assert owners.split() == ["sluice"], "a command of root's leaves nothing of root's"
    refused = machine.run("runuser -u nobody -- sluice psql", ok=False)
    assert refused.returncode == 64 and "sudo" in refused.stdout, refused.stdout


def test_a_file_that_only_root_may_read_comes_through_a_pipe(machine):
    (machine.root / "root/day.csv").write_text(
        "device_id,user_id,time,latitude,longitude\nwatch-8,ann,2026-11-20T10:00:00Z,1,2\n")
    refused = machine.run("cd /root; chmod 700 .; sluice import day.csv", ok=False)
    assert refused.returncode == 77 and "/root/day.csv: the service's user sluice may not" in refused.stdout
    assert "1 stored" in machine.run("cat /root/day.csv | sluice import --set SLUICE_READING_AGE_MAX=3650d -").stdout


def test_load_finds_the_services_key(machine):
    said = machine.run("sluice load --duration 1s --devices 2 --batch 10 --rate 2 --quiet").stdout
    assert "401" not in said, said


def upload(machine):
    """Status and body of the answer to a photo."""
    (machine.root / "root/photo.png").write_bytes(PIXEL)
    said = machine.run(
        "curl --silent --write-out '%{http_code}' -F file=@photo.png "
        "http://127.0.0.1:8080/api/users/user/po-lin/multimedia/swift")
    return int(said.stdout[-3:]), said.stdout[:-3]


def test_what_reads_pictures_is_a_package_of_its_own(machine):
    """The first has few dependencies; the second brings the libraries."""
    assert machine.run("dpkg --list | grep -cE '^ii +(libgd3|libgexiv2|libheif)'", ok=False).stdout == "0\n"
    status, body = upload(machine)
    assert status == 503 and "the operator has to install sluice-inspect" in body, body
    assert "sluice-inspect" in machine.run("sluice doctor", ok=False).stdout
    machine.run("apt install ./sluice-inspect_*.deb")
    assert "not found" not in machine.run("ldd /usr/lib/sluice/sluice-inspect").stdout
    machine.run("systemctl restart sluice")
    status, body = upload(machine)
    assert status == 200 and "photo.png" in body, body


def test_the_journal_has_priorities_and_no_banner(machine):
    assert "level=notice" in machine.run("journalctl -u sluice -p notice --no-pager").stdout
    assert "level=" not in machine.run("journalctl -u sluice -p err --no-pager").stdout
    log = machine.run("journalctl -u sluice -o cat --no-pager").stdout
    assert "is serving." not in log and "thread priority" not in log and "<5>" not in log


def test_a_reload_with_a_wrong_line_fails(machine):
    machine.run("cp -p /etc/sluice/sluice.conf /root; echo SLUICE_LANSE=2 >>/etc/sluice/sluice.conf")
    assert machine.run("systemctl reload sluice", ok=False).returncode != 0
    machine.run("cp -p /root/sluice.conf /etc/sluice; systemctl reload sluice")
    assert machine.run("systemctl is-active sluice").stdout == "active\n"


def test_the_nightly_backup_comes_back(machine):
    machine.run("apt-get install --yes rsync")
    machine.run("echo BACKUP_DIRECTORY=/backup >/etc/sluice/backup.env; systemctl start sluice-backup")
    machine.run("systemctl enable --now sluice-backup.timer")
    base = machine.run("ls -d /backup/base/*").stdout.strip()
    machine.run(f"""
        systemctl stop sluice
        data=/var/lib/sluice/postgres/data; mv $data $data.lost
        /usr/lib/sluice/backup/restore {base} $data; rm -r $data.lost
        systemctl start sluice
        """)
    assert "watch-7" in machine.run("sluice psql -c 'select device_id from analytics.vital'").stdout


def test_it_stores_in_debians_own_cluster_without_a_password(machine):
    machine.run("systemctl stop sluice; find /var/lib/sluice -mindepth 1 -delete")
    machine.run("runuser -u postgres -- createuser sluice")
    machine.run("runuser -u postgres -- createdb --owner sluice sluice")
    machine.run("echo SLUICE_DATABASE_URL=postgresql:///sluice >>/etc/sluice/sluice.conf")
    machine.run("systemctl start sluice")
    said = machine.run(FIRST_MINUTE).stdout
    assert arrived(said), said
    machine.run("test ! -e /var/lib/sluice/postgres")


def test_an_upgrade_restarts_it_and_keeps_settings_and_data(machine):
    machine.run("echo SLUICE_LOG_LEVEL=debug >>/etc/sluice/sluice.conf")
    before = machine.run("systemctl show --property=MainPID sluice").stdout
    machine.run("""
        dpkg-deb --raw-extract ./sluice_*.deb newer
        sed -i 's/^Version: .*/&+1/' newer/DEBIAN/control
        dpkg-deb --build newer newer.deb; rm -r newer
        apt-get install --yes ./newer.deb
        """)
    assert "sluice-inspect" in machine.run("dpkg --list | grep '^ii'").stdout, "it may stay the older one"
    assert machine.run("systemctl is-active sluice").stdout == "active\n"
    assert machine.run("systemctl show --property=MainPID sluice").stdout != before
    assert "debug" in machine.run("tail -n 1 /etc/sluice/sluice.conf").stdout
    said = machine.run("sluice psql -c 'select device_id from analytics.vital'").stdout
    assert "watch-7" in said


def test_its_removal_stops_it_and_keeps_settings_and_data(machine):
    machine.run("apt-get remove --yes sluice")
    assert machine.run("ps -C sluice,postgres -o user=", ok=False).stdout.count("sluice") == 0
    machine.run("test -e /etc/sluice/sluice.conf; test -e /var/lib/sluice/spool")


def test_a_purge_removes_settings_and_keeps_data(machine):
    said = machine.run("dpkg --purge sluice").stdout
    assert "rm -r /var/lib/sluice" in said
    machine.run("test -e /var/lib/sluice/spool; test ! -e /etc/sluice/sluice.conf")
    machine.run("test -e /etc/sluice/backup.env")  # the operator's
    machine.run("test ! -L /etc/systemd/system/multi-user.target.wants/sluice.service")
