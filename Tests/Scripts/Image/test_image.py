"""A container of the image beside a PostgreSQL outside of it."""

import os

import pytest
from image import container
from programs import ask, free_port, run

SLUICE = "/usr/local/bin/sluice"


@pytest.fixture
def volume(place, image):
    """As an engine makes it: with the owner and the mode of the directory in the image."""
    volume = place / "volume"
    volume.mkdir(mode=0o700)
    user, group = image.configuration["User"].split(":")
    os.chown(volume, int(user), int(group))
    return volume


def test_it_serves_says_that_it_is_healthy_and_stops(image, volume, place, cluster):
    port = free_port()
    settings = {
        "SLUICE_DATABASE_URL": cluster.address("sluice"), "SLUICE_INGEST_API_KEY": "k",
        "SLUICE_APP_KEYS": "a", "SLUICE_PORT": str(port)}
    words = [f"{key}={value}" for key, value in settings.items()]
    # The schema as a job that runs before.
    said = run(*image.command(volume, [*words, SLUICE, "migrate"])).stdout
    assert "the schema is at version" in said
    program = container(image, volume, place / "log", settings)
    try:
        url = f"http://127.0.0.1:{port}"
        program.until(lambda: ask(url + "/readyz")[0] == 200, "ready")
        check = image.configuration["Healthcheck"]["Test"]
        assert check[0] == "CMD"
        assert run(*image.command(volume, words + check[1:])).stdout == "ok\n"
        body = (
            b'{"metadata":{"device_id":"watch-7"},"data":[{"t":"2026-11-01T00:00:00Z","type":"vital",'
            b'"code":1,"val":72}]}')
        head = {"X-API-Key": "k", "Content-Type": "application/json"}
        status, answer, _ = ask(url + "/ingest", body, head)
        assert status in (200, 202) and b'"records":1' in answer, answer
        assert program.text.startswith('{"time"'), "the image's logs are JSON"
    finally:
        code = program.end()
    assert code == 0, program.text
    outcome = run(*image.command(volume, words + check[1:]), ok=False)
    assert outcome.returncode == 69


def test_the_root_is_read_only_and_the_user_is_the_images(image, volume):
    assert run(*image.command(volume, ["id", "-u"])).stdout == "10001\n"
    assert run(*image.command(volume, ["touch", "/etc/x"]), ok=False).returncode != 0
    assert run(*image.command(volume, ["touch", "/var/lib/sluice/x"])).returncode == 0
    libraries = run(*image.command(volume, ["ldd", SLUICE])).stdout
    assert "not found" not in libraries
