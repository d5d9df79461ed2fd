import browser
import pytest
from programs import open_directory
from server import Server


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "status")


@pytest.fixture(scope="session")
def server(place):
    # The patience is for slow machines. The shutdown limit is so long that a stop which waited
    # for a page would fail the test.
    settings = {"SLUICE_PATIENCE": "20s", "SLUICE_SHUTDOWN_WITHIN": "10m"}
    with Server(place / "sluice", settings=settings) as server:
        yield server


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
