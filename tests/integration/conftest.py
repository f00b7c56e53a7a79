# SPDX-License-Identifier: Apache-2.0
"""One lab instance for the whole session, built from preset dev (kill points compiled in).

STE_LAB_DIR names an instance that already runs: it is used as it is and left running, which saves
its start while a test is being written. STE_LAB_BIN names a folder of other programs.
"""
import os
import re
import signal

import pytest

from lab import Lab, TOP, process_state, wait_for
from messages import CASES

BUSINESS_DATE = "2026-11-30"
# Keys that no participant of the lab has: expired, not yet valid, of one who is not active.
STRANGE_KEYS = """
  - { id: OLDKSGSG, roles: [broker], keys: [{ id: h1, algorithm: hmac-sha256, file: keys/STEHSGSG/hub, from: 2020-01-01, to: 2026-11-29 }] }
  - { id: NEWKSGSG, roles: [broker], keys: [{ id: h1, algorithm: hmac-sha256, file: keys/STEHSGSG/hub, from: 2026-12-01, to: 2099-12-31 }] }
  - { id: OFFKSGSG, roles: [broker], active: false, keys: [{ id: h1, algorithm: hmac-sha256, file: keys/STEHSGSG/hub, from: 2020-01-01, to: 2099-12-31 }] }
"""


def pytest_configure():
    """TERM ends the run as Ctrl-C does: the fixtures still stop what they started."""
    def end(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, end)


@pytest.fixture(scope="session")
def lab():
    running = os.environ.get("STE_LAB_DIR")
    if running:
        instance = Lab(os.path.abspath(running))
        adopt_cases(instance)
        yield instance
        return
    instance = Lab(os.path.join(TOP, "build", "lab-test"))
    if os.path.exists(instance.path("lab.conf")):
        instance.down("--wipe")  # of an earlier run; its logs were kept for reading until now
    try:
        instance.up(*programs(), "--as-of", BUSINESS_DATE, "--shards", "2", "--nodes", "2",
                    "--workers", "2")
        adopt_cases(instance)
        yield instance
    finally:
        instance.down()


def programs():
    other = os.environ.get("STE_LAB_BIN")
    return ["--bin", other] if other else ["--preset", "dev"]


def adopt_cases(lab):
    """Gives the lab the profiles and parties that tests/cases speak of."""
    text, participants = lab.read("cluster.yaml"), lab.read("participants.yaml")
    with open(os.path.join(CASES, "cluster.yaml"), encoding="utf-8") as file:
        profiles = block(file.read(), "profiles")
    with open(os.path.join(CASES, "participants.yaml"), encoding="utf-8") as file:
        parties = re.findall(r"^(  - \{ id: (\w+),.*\n)", file.read(), re.MULTILINE)
    parties += re.findall(r"^(  - \{ id: (\w+),.*\n)", STRANGE_KEYS, re.MULTILINE)
    new = [line for line, bic in parties if not re.search("id: %s\\b" % bic, participants)]
    if block(text, "profiles") == profiles and not new:
        return
    write(lab.path("cluster.yaml"), text.replace(block(text, "profiles"), profiles))
    write(lab.path("participants.yaml"), participants.rstrip("\n") + "\n" + "".join(new))
    lab.admin("topology")
    names = [n for kind in ("routers", "nodes") for n in lab.components(kind)]
    for name in names:
        lab.end(name)
        lab.launch(name)
    for name in names:
        wait_for(lambda: lab.is_ready(name), 30, "%s ready" % name)


def block(text, section):
    """A top-level section of a YAML text, with its key, up to the next one."""
    return re.search(r"^%s:\n(?:[ #\n-].*\n|\n)*" % section, text, re.MULTILINE).group(0)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture
def whole_lab(lab):
    """The lab with every part running and ready; a test that breaks one gets it mended here."""
    yield mended(lab)
    mended(lab)


def mended(lab):
    parts = ["broker"] + ["shard %d" % n for n in range(lab.shard_count())]
    components = [n for kind in ("routers", "nodes") for n in lab.components(kind)]
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
