import os
import pathlib
import shutil

import pytest
from machine import Machine, Unreachable
from programs import open_directory

PACKAGE = pathlib.Path(os.environ["SLUICE_PACKAGE"])


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """A fresh, booted Debian; the packages that sluice needs are downloaded but not installed."""
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: only root can make another root and boot it")
    machine = None
    try:
        machine = Machine(open_directory(tmp_path_factory, "package") / "machine")
        files = [PACKAGE, PACKAGE.with_name(PACKAGE.name.replace("sluice_", "sluice-inspect_", 1))]
        for file in files:
            shutil.copy(file, machine.root / "root")
        machine.run_with_network(
            "apt-get", "install", "--yes", "--download-only",
            *[f"/root/{file.name}" for file in files], "rsync")
        # `apt install` asks otherwise, as README.md has it.
        (machine.root / "etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')
        machine.boot()
        yield machine
    except Unreachable:
        pytest.skip("NOT TESTED: Debian's mirror can't be reached")
    finally:
        if machine:
            machine.remove()
