# SPDX-License-Identifier: Apache-2.0
"""One lab instance for the whole session, built from preset dev (kill points compiled in).

STE_LAB_DIR names an instance that already runs: it is used as it is and left running, which saves
its start while a test is being written.
"""
import os
import signal

import pytest

from lab import Lab, TOP, process_state, wait_for

BUSINESS_DATE = "2026-11-30"


def pytest_configure():
    """TERM ends the run as Ctrl-C does: the fixtures still stop what they started."""
    def end(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, end)


@pytest.fixture(scope="session")
def lab():
    running = os.environ.get("STE_LAB_DIR")
    if running:
        yield Lab(os.path.abspath(running))
        return
    instance = Lab(os.path.join(TOP, "build", "lab-test"))
    if os.path.exists(instance.path("lab.conf")):
        instance.down("--wipe")  # of an earlier run; its logs were kept for reading until now
    try:
        instance.up("--preset", "dev", "--as-of", BUSINESS_DATE, "--shards", "2", "--nodes", "2",
                    "--workers", "2")
        yield instance
    finally:
        instance.down()


@pytest.fixture
def whole_lab(lab):
    """The lab with every part running and ready; a test that breaks one gets it mended here."""
    yield mended(lab)
    mended(lab)


def mended(lab):
    parts = ["broker"] + ["shard %d" % n for n in range(lab.shard_count())]
    components = [c["name"] for kind in ("routers", "nodes") for c in lab.map()["components"][kind]]
    parts += ["%s %s" % (name.split("-")[0], name) for name in components]
    alive = lab.pids()
    for part in parts:
        name = part.replace(" ", "-") if part.startswith("shard") else part.split()[-1]
        if name not in alive:
            lab.start(*part.split())
        elif process_state(alive[name]) == "T":
            raise AssertionError("%s was left frozen" % name)
    for name in components:
        wait_for(lambda: lab.is_ready(name), 30, "%s ready" % name)
    return lab
