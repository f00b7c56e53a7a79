# SPDX-License-Identifier: Apache-2.0
"""F3: processes are stopped (SIGSTOP) for 5 s, and for longer than the heartbeat. One that wakes late
changes nothing wrongly, and the frozen one's trades go on without it."""
import contextlib
import time

import pytest

from lab import process_state, wait_for

GOES_ON_S = 15  # others have a frozen node's or router's trades after that
FLOW = 250      # trades a second, so that something is under way all the time


@pytest.mark.parametrize("names", [("router-1", "shard-0"), ("node-1", "node-2", "broker")],
                         ids=lambda names: "+".join(names))
def test_frozen_for_five_seconds(lab, records, names):
    run = records.start(FLOW * 8, rate=FLOW * 7)
    run.wait_cleared(FLOW)
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(lab.frozen(name))
        time.sleep(5)  # the fault itself, not a wait for something
        assert all(process_state(lab.pid(name)) == "T" for name in names)
    assert not run.ended(), "it was not in the middle"
    run.finish()


def test_frozen_for_longer_than_the_heartbeat(lab, records):
    """A node and a router at once, until their peers have done everything; then they wake."""
    names = ["node-1", "router-1"]
    before = {n: lab.metric(n, "ste_reconnects_total") for n in names}
    run = records.start(FLOW * 4, rate=FLOW * 7)
    run.wait_cleared(FLOW)
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(lab.frozen(name))
        begin = time.monotonic()
        wait_for(lambda: run.ended() or run.cleared() == run.trades, 60, "the peers take over")
        run.finish()
        took = time.monotonic() - begin
        print("the last trade after %.1f s" % took)
        assert took < GOES_ON_S + 5  # what had waited was to be worked off, on a busy machine
    later = records.start(FLOW)  # for those that woke, too
    for name in names:
        wait_for(lambda: lab.metric(name, "ste_reconnects_total") > before[name], 30,
                 "%s has noticed" % name)
        wait_for(lambda: lab.is_ready(name), 30, "%s ready" % name)
    later.finish()
