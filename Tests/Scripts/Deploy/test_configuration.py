"""Many files name settings; the server must know each of them."""

import re

import pytest
from programs import BINARY, DEPLOY, ENVIRONMENT, run


@pytest.fixture(scope="module")
def keys():
    text = run(BINARY, "config", env=ENVIRONMENT).stdout
    assert text == (DEPLOY / "sluice.conf.example").read_text(), "sluice config > deploy/…"
    found = re.findall(r"^#([A-Z][A-Z0-9_]*)=", text, re.MULTILINE)
    assert len(found) == len(set(found)) > 100
    return set(found)


def test_the_help_of_serve_names_every_key(keys):
    text = run(BINARY, "serve", "--help", env=ENVIRONMENT).stdout
    assert {key for key in keys if not re.search(rf"^\s+{key}\b", text, re.MULTILINE)} == set()


FILES = sorted(
    path for path in DEPLOY.rglob("*")
    if path.is_file() and path.suffix not in {".json", ".png"} and path.name != "sluice.conf.example")
# Settings of the files themselves, of commands and clients that ask a server, and of the build.
OTHERS = {"SLUICE_DATABASE_PASSWORD", "SLUICE_STATUS_KEY", "SLUICE_KEY", "SLUICE_COMMIT"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DEPLOY)))
def test_no_file_names_a_setting_that_is_none(path, keys):
    found = re.findall(r"\bSLUICE_[A-Z0-9_]+\b", path.read_text())
    named = {name.removesuffix("_FILE") for name in found}
    assert named - keys - OTHERS == set()
