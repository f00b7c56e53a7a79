# SPDX-License-Identifier: Apache-2.0
"""F4, F9, F10 and item 3 of the path: broker and shards go away in the middle of 70,000 messages, by
a clean restart and by kill -9; one shard is down for a while. Nothing is lost, nothing comes twice."""
import time

import messages
from lab import wait_for

TRADES = 10000
RECOVERY_S = 10  # from the broker's return until all are connected again


def ready_again(lab):
    """Seconds until every router and node is ready."""
    begin = time.monotonic()
    for name in lab.components("routers") + lab.components("nodes"):
        wait_for(lambda: lab.is_ready(name), 30, "%s ready: %s" % (name, lab.get(name, "/readyz")))
    return time.monotonic() - begin


def test_restarts_in_the_middle_of_singles(lab, records):
    """Broker and one shard end cleanly and come back, one message a delivery."""
    run = records.start(TRADES, records.make_set(TRADES, shuffle=512), outstanding=8000)
    run.wait_cleared(TRADES // 4)
    lab.restart("broker")
    assert ready_again(lab) < RECOVERY_S
    run.wait_cleared(TRADES // 2)
    assert not run.ended(), "it was not in the middle"
    lab.restart("shard", "1")
    assert ready_again(lab) < RECOVERY_S
    run.finish()


def test_kills_in_the_middle_of_batches(lab, records):
    """kill -9 of a shard, then of the broker, 64 messages a delivery: every acked row is there."""
    run = records.start(TRADES, records.make_set(TRADES, shuffle=512), batch=64, outstanding=8000)
    run.wait_cleared(TRADES // 4)
    lab.restart("shard", "0", kill=True)
    assert ready_again(lab) < RECOVERY_S
    run.wait_cleared(TRADES // 2)
    assert not run.ended(), "it was not in the middle"
    lab.restart("broker", kill=True)
    assert ready_again(lab) < RECOVERY_S
    run.finish()


def stored(lab, shard):
    return lab.query(shard, "SELECT COUNT(*) AS n FROM message")[0]["n"]


def test_one_shard_down(lab, records):
    """The other shard's trades all clear meanwhile; then the backlog drains alone."""
    trades = 1000
    folder = records.make_set(trades)
    wanted = sum(1 for reference in set(references(folder))
                 if messages.shard_of(reference, lab.shard_count()) == 0)
    assert 0 < wanted < trades
    before = stored(lab, 0)
    lab.stop("shard", "1")
    run = records.start(trades, folder)
    wait_for(lambda: stored(lab, 0) - before == wanted * 7, 60, "all of shard 0 is stored")
    wait_for(lambda: run.cleared() == wanted, 20, "all of shard 0 is cleared")
    down = [n for n in lab.components("nodes") if not lab.is_ready(n)]
    assert down == ["node-2", "node-4"]
    for name in down:
        assert "shard" in lab.get(name, "/readyz")[1]
    for name in lab.components("routers") + ["node-1", "node-3"]:
        assert lab.is_ready(name), lab.get(name, "/readyz")
    assert run.cleared() == wanted
    lab.start("shard", "1")
    run.finish()


def references(folder):
    from wire import read_set
    for body in read_set(folder):
        yield body.partition(b"<TradeReference>")[2].partition(b"<")[0].decode()
