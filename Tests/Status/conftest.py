import pathlib
import sys

import browser
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Deploy"))

from server import Server  # noqa: E402


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A directory that the private PostgreSQL's user can get into."""
    directory = tmp_path_factory.mktemp("status")
    for parent in [directory, *directory.parents][:3]:
        parent.chmod(0o755)
    return directory


@pytest.fixture(scope="session")
def server(place):
    server = Server(place / "sluice")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def chromium(place):
    if not browser.program():
        pytest.fail("there is no Chromium: deploy/install-dependencies check (make check does it)")
    with browser.running(place) as address:
        yield address


@pytest.fixture
def page(chromium):
    page = browser.Page(chromium)
    yield page
    page.close()
