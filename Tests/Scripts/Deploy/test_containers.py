"""Dockerfile and compose file, without a container engine: their statements about the binary,
files and settings are compared with these."""

import re

import pytest
import yaml
from programs import BINARY, DEPLOY, ENVIRONMENT, ROOT, run

DOCKER = DEPLOY / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text()
COMPOSE = yaml.safe_load((DOCKER / "compose.yml").read_text())
RUNTIME = DOCKERFILE.rsplit("\nFROM ", 1)[1]


def test_the_image_has_the_packages_of_what_the_binary_links():
    wanted = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", BINARY).stdout))
    libraries = dict(re.findall(r"^\s+(\S+) => (\S+)", run("ldd", BINARY).stdout, re.MULTILINE))
    installed = set(re.findall(r"^\s+([a-z0-9.+-]+) \\$", RUNTIME, re.MULTILINE))
    missing = {}
    for name in wanted:
        path = libraries.get(name, "")
        # Swift's own libraries are linked statically in the image.
        if "/swift/" in path or not path:
            continue
        # dpkg knows libraries by their path with or without /usr.
        asked = [
            run("dpkg-query", "--search", place, ok=False)
            for place in [path, "/usr" + path, path.removeprefix("/usr")]]
        package = next(done.stdout.split(":")[0] for done in asked if done.returncode == 0)
        if package not in installed | {"libc6", "libgcc-s1"}:
            missing[name] = package
    assert missing == {}


def test_the_image_runs_as_somebody_without_rights():
    user = re.search(r"^USER (\d+):(\d+)$", RUNTIME, re.MULTILINE)
    assert user and int(user[1]) > 999
    assert "HEALTHCHECK" in RUNTIME and '"/usr/local/bin/sluice", "health"' in RUNTIME
    commands = run(BINARY, "--help", env=ENVIRONMENT).stdout
    assert re.search(r"^  health\s", commands, re.MULTILINE)


def test_only_sources_get_into_the_build():
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[1] == "*"
    admitted = [line[1:] for line in ignored[2:]]
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    for source in " ".join(copied).split():
        assert any(source.rstrip("*") == path for path in admitted), source
    for path in admitted:
        assert (ROOT / path).exists() or path == "Package.resolved", path


def test_compose_is_what_the_specification_says():
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", DOCKER / "compose.yml")


def test_compose_names_files_volumes_and_services_that_are_there():
    for name, service in COMPOSE["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (DOCKER / source).exists(), source
            else:
                assert source in COMPOSE["volumes"], source
        for other in service.get("depends_on", []):
            assert other in COMPOSE["services"], f"{name} depends on {other}"
    build = COMPOSE["services"]["sluice"]["build"]
    assert (DOCKER / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


def test_what_compose_asks_for_is_in_the_example_of_its_environment():
    text = (DOCKER / "compose.yml").read_text()
    example = (DOCKER / "environment.example").read_text()
    asked = set(re.findall(r"\$\{([A-Z_]+)", text))
    assert asked == set(re.findall(r"^([A-Z_]+)=$", example, re.MULTILINE))


def test_a_stop_leaves_time_to_drain():
    sluice = COMPOSE["services"]["sluice"]
    drain = int(sluice["environment"]["SLUICE_SHUTDOWN_WITHIN"].rstrip("s"))
    assert int(sluice["stop_grace_period"].rstrip("s")) >= drain + 15 + 10


@pytest.mark.parametrize("role, sql, allowed", [
    ("grafana", "select count(*) from analytics.device", True),
    ("grafana", "select count(*) from sluice.device", False),
    ("grafana", "create temporary table mine ()", False),
    ("grafana", "create table analytics.mine ()", False),
    ("sluice", "create role another", False),
])
def test_roles_may_do_what_they_are_for(server, cluster, role, sql, allowed):
    done = cluster.psql(role, sql)
    assert (done.returncode == 0) == allowed, done.stdout
    assert allowed or "denied" in done.stdout or "read-only" in done.stdout, done.stdout
