# SPDX-License-Identifier: Apache-2.0
"""F1, F2: processes are killed at named points of the path and never come back; others take over."""
import time

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


def test_fifty_kills_of_nodes(lab, records, rng):
    """F1: kill -9 at random moments, each node brought back at once. No innocent record reaches a
    delivery limit, though every kill counts against all that was prefetched."""
    nodes = lab.components("nodes")
    runs = [records.start(1500)]
    for _ in range(50):
        if runs[-1].ended():
            runs.append(records.start(1500))
        name = rng.choice(nodes)
        lab.kill(name)
        lab.launch(name)
        time.sleep(rng.uniform(0.02, 0.15))  # the moment is what is random
    for run in runs:
        run.finish()
    assert lab.query_all("SELECT reference FROM exception WHERE code = 'XCRS'") == []
