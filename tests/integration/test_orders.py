# SPDX-License-Identifier: Apache-2.0
"""Any order, any worker: all 5,040 orders of the seven messages of a trade, and the seven messages of
one trade at different workers at once."""
import itertools
import os
import random
import time

import pytest

from lab import wait_for
from trades import Trades, drive
from wire import tap

MESSAGES = ["NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"]
START = int(time.time()) % 10000000


@pytest.fixture(scope="module")
def rng():
    seed = int(os.environ.get("STE_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print("STE_TEST_SEED=%d" % seed)
    return random.Random(seed)


def numbered(prefix, count):
    return Trades("%s%d-%05d" % (prefix, START, n) for n in range(count))


def counted(lab, table):
    """The highest id of each shard now; what comes later counts."""
    return [lab.query(s, "SELECT IFNULL(MAX(id), 0) AS id FROM %s" % table)[0]["id"]
            for s in range(lab.shard_count())]


def stored_since(lab, since):
    return sum(lab.query(s, "SELECT COUNT(*) AS n FROM message WHERE id > %s", (since[s],))[0]["n"]
               for s in range(lab.shard_count()))


def contents_of(ears, trades):
    """message-ids of the CLS, and what they say once the trade's own names are taken out."""
    ids, contents = {}, set()
    by_key = {key.hex(): reference for key, reference in zip(trades.keys, trades.references)}
    for (_, message_id), body in ears.bodies.items():
        key = message_id.partition(".")[0]
        if key not in by_key:
            continue
        ids[message_id] = ids.get(message_id, 0) + 1
        text = body.decode()
        assert by_key[key] in text
        contents.add(text.replace(key, "KEY").replace(by_key[key], "REFERENCE"))
    return ids, contents


def test_all_orders(lab, tmp_path):
    """The k-th message of every trade, all stored, then the next: so each trade meets its order."""
    orders = list(itertools.permutations(MESSAGES))
    assert len(orders) == 5040
    trades = numbered("ORD", len(orders))
    since = counted(lab, "message")
    with tap(lab, ["cls.*"]) as ears:
        for k in range(7):
            entries = [trades.entry(n, order[k]) for n, order in enumerate(orders)]
            drive(lab, tmp_path / str(k), entries, len(orders), "--batch", "16")
            wait_for(lambda: stored_since(lab, since) == (k + 1) * 5040, 60,
                     "message %d of every trade is stored" % (k + 1))
        ears.wait(lambda: len(ears.replies) >= 5040, 60, "5,040 CLS")
        ears.drain()
    ids, contents = contents_of(ears, trades)
    assert sorted(ids) == sorted(key.hex() + ".1" for key in trades.keys)
    assert len(contents) == 1, "the content depends on the order"
    assert stored_since(lab, since) == 35280
    states = lab.query_all("SELECT status, message_count, account_count, cls_version, COUNT(*) AS n "
                           "FROM trade WHERE trade_reference LIKE %s GROUP BY 1, 2, 3, 4",
                           ("ORD%d-%%" % START,))
    assert {(s["message_count"], s["account_count"], s["cls_version"]) for s in states} == {(7, 2, 1)}
    assert len({s["status"] for s in states}) == 1
    assert sum(s["n"] for s in states) == 5040 and len(states) == lab.shard_count()


def lock_waits(lab):
    return sum(int(lab.query(s, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'")[0]["Value"])
               for s in range(lab.shard_count()))


def test_one_trade_at_all_workers_at_once(lab, tmp_path, rng):
    """2,000 trades, their seven messages next to each other in any order: they land in four typed
    queues, each of which feeds two workers."""
    assert all(a["workers"] >= 2 for n in lab.map()["components"]["nodes"] for a in n["assignments"])
    count = 2000
    trades = numbered("ONE", count)
    since, waits = counted(lab, "message"), lock_waits(lab)
    entries = [trades.entry(n, name) for n in range(count)
               for name in rng.sample(MESSAGES, len(MESSAGES))]
    with tap(lab, ["cls.*"]) as ears:
        drive(lab, tmp_path / "set", entries, count)
        ears.wait(lambda: len(ears.replies) >= count, 60, "%d CLS" % count)
        ears.drain()
    ids, contents = contents_of(ears, trades)
    assert sorted(ids) == sorted(key.hex() + ".1" for key in trades.keys)
    assert len(contents) == 1
    assert stored_since(lab, since) == count * len(MESSAGES)
    assert lock_waits(lab) > waits, "no worker waited for another: nothing was tried"
    print("%d lock waits" % (lock_waits(lab) - waits))
