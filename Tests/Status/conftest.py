import browser
import pytest
from programs import open_directory
from server import Server


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "status")


@pytest.fixture(scope="session")
def server(place):
    with Server(place / "sluice") as server:
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
