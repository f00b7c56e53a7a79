# SPDX-License-Identifier: Apache-2.0
"""The engine as a participant sees it: a lab, ste-submit and the broker.

STE_LAB_DIR names a lab that already runs with business date 2026-11-30, 2 shards and the shipped
profiles: it is used as it is. Nothing here reads tests/cases or the engine's sources: what is
expected is written down from docs/MESSAGES.md.
"""
import os
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                             "integration"))

from lab import Lab, TOP  # noqa: E402
from talk import Talk  # noqa: E402


@pytest.fixture(scope="session")
def lab():
    running = os.environ.get("STE_LAB_DIR")
    if running:
        yield Lab(os.path.abspath(running))
        return
    instance = Lab(os.path.join(TOP, "build", "lab-accept"))
    if os.path.exists(instance.path("lab.conf")):
        instance.down("--wipe")
    try:
        instance.up("--as-of", "2026-11-30", "--shards", "2", "--preset",
                    os.environ.get("STE_PRESET", "dev"))
        yield instance
    finally:
        instance.down()


@pytest.fixture
def talk(lab, tmp_path):
    return Talk(lab, str(tmp_path))
