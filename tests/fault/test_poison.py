# SPDX-License-Identifier: Apache-2.0
"""F14: a message that kills every node that decides it. After its limits it is an exception (XCRS);
its batch neighbours and the rest of the prefetch are stored normally."""

import messages
from lab import wait_for
from trades import value
from wire import read_set

TRADES = 200


def test_poison(lab, records, rng):
    folder = records.make_set(TRADES)
    bodies = read_set(folder)
    poison = rng.choice(bodies)
    text = poison.decode()
    reference, trade = value(text, "Reference"), value(text, "TradeReference")
    assert sum(1 for b in bodies if b">%s<" % reference.encode() in b) == 1
    shard = messages.shard_of(trade, lab.shard_count())
    nodes = lab.components("nodes")
    print("poison %s on shard %d" % (reference, shard))
    for name in nodes:
        lab.relaunch(name, "poison=" + reference)

    quarantined = len(lab.query_all("SELECT 1 FROM exception WHERE code = 'XCRS'"))
    before = sum(stored(lab, s) for s in range(lab.shard_count()))
    deaths = {name: 0 for name in nodes}

    def supervise():
        """What an init system does: a dead node comes back."""
        for name in nodes:
            if not lab.alive(name):
                deaths[name] += 1
                lab.launch(name, "poison=" + reference)
        return lab.query_all("SELECT * FROM exception WHERE reference = %s AND code = 'XCRS' AND "
                             "trade_reference = %s", (reference, trade))

    records.drive_set(folder, "--batch", "64")
    row, = wait_for(supervise, 60, "the guilty one is quarantined")
    print("deaths: %s" % deaths)
    assert row["raw"] == poison.rstrip() and row["kind"] == 0
    wait_for(lambda: supervise() and sum(stored(lab, s) for s in range(lab.shard_count())) - before ==
             7 * TRADES - 1, 60, "all others are stored")
    assert {n for n in nodes if deaths[n]} <= {n for n in nodes if works_on(lab, n, shard)}
    assert 3 <= sum(deaths.values()) <= 12, "neither at once, nor without end"
    assert lab.ready("ste.dead", "ste.suspect.00", "ste.suspect.01") == 0
    assert len(lab.query_all("SELECT 1 FROM exception WHERE code = 'XCRS'")) == quarantined + 1

    for name in nodes:
        lab.relaunch(name)
    keys = {messages.trade_key(value(b.decode(), "TradeReference"), value(b.decode(), "Broker"),
                               value(b.decode(), "Manager"), value(b.decode(), "TradeDate"))
            for b in bodies}
    wait_for(lambda: len(records.cls_of(keys)) == TRADES - 1, 20, "all other trades clear")
    # The same message again, where it does no harm: a refused one has not used up its reference.
    key = messages.trade_key(trade, value(text, "Broker"), value(text, "Manager"),
                             value(text, "TradeDate"))
    records.drive([(poison, key, value(text, "Sender"), reference, 0)], 1)
    wait_for(lambda: len(records.cls_of(keys)) == TRADES, 20, "the last trade clears")


def stored(lab, shard):
    return lab.query(shard, "SELECT COUNT(*) AS n FROM message")[0]["n"]


def works_on(lab, name, shard):
    node, = [n for n in lab.map()["components"]["nodes"] if n["name"] == name]
    return any(a["shard"] == shard for a in node["assignments"])
