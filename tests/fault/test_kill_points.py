# SPDX-License-Identifier: Apache-2.0
"""F1, F2: processes are killed at named points of the path and never come back; others take over."""
import pytest

from lab import wait_for

TRADES = 500
# Of each shard one node is killed, and the other covers it; the same for the routers.
TOGETHER = [
    {"node-1": "node-before-load", "node-2": "node-before-commit", "router-1": "router-before-ack"},
    {"node-1": "node-before-ack", "node-2": "node-before-delete"},
]


@pytest.mark.parametrize("points", TOGETHER, ids=lambda points: ",".join(points.values()))
def test_killed_and_covered(lab, records, rng, points):
    faults = {name: "%s:%d" % (point, rng.randint(1, 8)) for name, point in points.items()}
    print(faults)
    repeated = lab.metric("node-3", "ste_messages_duplicate_total")
    for name, fault in faults.items():
        lab.relaunch(name, fault)
    run = records.start(TRADES, outstanding=1000)
    wait_for(lambda: run.ended() or not any(lab.alive(n) for n in faults), 60, "%s killed" % faults)
    run.finish()
    assert [n for n in faults if lab.alive(n)] == []
    if points["node-1"] == "node-before-ack":  # committed, not acked: a repetition for the other
        assert lab.metric("node-3", "ste_messages_duplicate_total") > repeated
