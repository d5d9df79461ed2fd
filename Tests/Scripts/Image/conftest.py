import os
import pathlib

import pytest
from cluster import Cluster
from image import Image, Unreachable
from programs import BINARY, open_directory


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: only root can build in a chroot")
    image = None
    try:
        image = Image(
            open_directory(tmp_path_factory, "image") / "image", pathlib.Path(BINARY).parent)
        yield image
    except Unreachable:
        pytest.skip("NOT TESTED: Debian's mirror can't be reached")
    finally:
        if image:
            image.remove()


@pytest.fixture
def place(tmp_path_factory):
    return open_directory(tmp_path_factory, "image-test")


@pytest.fixture
def cluster(place):
    cluster = Cluster(place / "postgres")
    yield cluster
    cluster.stop()
