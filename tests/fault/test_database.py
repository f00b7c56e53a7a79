# SPDX-License-Identifier: Apache-2.0
"""F8: deadlock, lock wait, and connections that are killed between statement and commit. The whole
batch is done again; nothing is stored twice, and there is no second CLS."""
import contextlib
import threading

import pytest

import messages
from lab import wait_for
from trades import Trades

SHARD = 0
NODES = ["node-1", "node-3"]  # both work on shard 0


@pytest.fixture(scope="module")
def two_trades(records):
    """Makes pairs of trades of shard 0, lower key first, whose NOE is stored."""
    def make():
        found = []
        while len(found) < 2:
            reference = "LOCK%d" % next(records.numbers)
            if messages.shard_of(reference, records.lab.shard_count()) == SHARD:
                found.append(reference)
        trades = Trades(sorted(found, key=messages.trade_key), "single")
        send(records, trades, "NOE")
        wait_for(lambda: stored(records.lab, trades) == [1, 1], 20, "both NOE are stored")
        return trades
    return make


def send(records, trades, *names):
    """One delivery with these messages of both trades."""
    entries = [trades.entry(n, name) for name in names for n in range(len(trades.keys))]
    records.drive(entries, len(trades.keys), "--batch", str(len(entries)))


def stored(lab, trades):
    return [lab.query(SHARD, "SELECT COUNT(*) AS n FROM message WHERE trade_key = %s", (key,))[0]["n"]
            for key in trades.keys]


def total(lab, metric):
    return sum(lab.metric(name, metric) for name in NODES)


def waiting(lab):
    row, = lab.query(SHARD, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")
    return int(row["Value"]) > 0


@contextlib.contextmanager
def transaction(lab):
    with contextlib.closing(lab.connect(SHARD, "migrator")) as connection:
        connection.autocommit(False)
        with connection.cursor() as cursor:
            yield cursor
        connection.rollback()


def lock(cursor, key):
    cursor.execute("SELECT 1 FROM trade WHERE trade_date = '2026-11-30' AND trade_key = %s FOR UPDATE",
                   (key,))
    assert cursor.fetchall()


def finish(lab, records, trades):
    send(records, trades, "NPR", "SET")
    wait_for(lambda: stored(lab, trades) == [4, 4], 20, "all is stored")
    wait_for(lambda: len(records.cls_of(trades.keys)) == 2, 20, "two CLS")


def test_deadlock(lab, records, two_trades):
    """The node holds the lower key and wants the higher, we the other way round; we have written
    more, so that the node is the one to give up."""
    trades = two_trades()
    lower, higher = trades.keys
    redone, reconnects = total(lab, "ste_batches_redone_total"), total(lab, "ste_reconnects_total")
    lab.root_sql(SHARD, "CREATE TABLE IF NOT EXISTS ste.heavy (id INT PRIMARY KEY)")
    try:
        with transaction(lab) as cursor:
            cursor.executemany("INSERT INTO heavy VALUES (%s)", [(n,) for n in range(2000)])
            lock(cursor, higher)
            send(records, trades, "ALB")
            wait_for(lambda: waiting(lab), 10, "the node waits for the higher key")
            lock(cursor, lower)  # 1213, for the node
            wait_for(lambda: total(lab, "ste_batches_redone_total") > redone, 10, "a batch redone")
    finally:
        lab.root_sql(SHARD, "DROP TABLE ste.heavy")
    wait_for(lambda: stored(lab, trades) == [2, 2], 10, "both ALB are stored")
    assert total(lab, "ste_reconnects_total") == reconnects
    finish(lab, records, trades)


def test_lock_wait(lab, records, two_trades):
    """A row is held for longer than a node waits: the batch is halved, and its first half, which
    is free, is stored meanwhile."""
    trades = two_trades()
    _, held = trades.keys
    redone, reconnects = total(lab, "ste_batches_redone_total"), total(lab, "ste_reconnects_total")
    with transaction(lab) as cursor:
        lock(cursor, held)
        send(records, trades, "ALB")
        wait_for(lambda: stored(lab, trades) == [2, 1], 20, "the free one is stored")
        assert total(lab, "ste_batches_redone_total") > redone
    wait_for(lambda: stored(lab, trades) == [2, 2], 10, "the held one is stored")
    assert total(lab, "ste_reconnects_total") == reconnects
    finish(lab, records, trades)


def test_connection_killed_in_a_statement(lab, records, two_trades):
    trades = two_trades()
    lab.root_sql(SHARD, "GRANT PROCESS, CONNECTION ADMIN ON *.* TO ste_migrator")
    reconnects = total(lab, "ste_reconnects_total")
    with transaction(lab) as cursor:
        lock(cursor, trades.keys[1])
        send(records, trades, "ALB")
        wait_for(lambda: waiting(lab), 10, "the node waits")
        with contextlib.closing(lab.connect(SHARD, "migrator")) as other, other.cursor() as killer:
            killer.execute("SELECT id FROM information_schema.processlist WHERE user = 'ste_node' "
                           "AND state <> '' AND info LIKE 'INSERT%'")
            found = killer.fetchall()
            assert found
            for row in found:
                killer.execute("KILL %s", (row["id"],))
    wait_for(lambda: stored(lab, trades) == [2, 2], 20, "both ALB are stored")
    assert total(lab, "ste_reconnects_total") > reconnects
    finish(lab, records, trades)


def test_connections_killed_all_the_time(lab, records, rng):
    """Fifty kills wherever they hit: before, in and after COMMIT."""
    for shard in range(lab.shard_count()):
        lab.root_sql(shard, "GRANT PROCESS, CONNECTION ADMIN ON *.* TO ste_migrator")
    names = lab.components("nodes")
    before = sum(lab.metric(n, "ste_reconnects_total") for n in names)
    run = records.start(1500)
    kills = 0
    pause = threading.Event()
    with contextlib.ExitStack() as stack:
        cursors = [stack.enter_context(contextlib.closing(lab.connect(s, "migrator"))).cursor()
                   for s in range(lab.shard_count())]
        while not run.ended() and kills < 50:
            cursor = rng.choice(cursors)
            cursor.execute("SELECT id FROM information_schema.processlist WHERE user = 'ste_node'")
            ids = [row["id"] for row in cursor.fetchall()]
            if ids:
                with contextlib.suppress(Exception):  # it may have gone by itself
                    cursor.execute("KILL %s", (rng.choice(ids),))
                    kills += 1
            pause.wait(rng.uniform(0.01, 0.1))
    print("%d kills" % kills)
    run.finish()
    assert kills >= 10
    assert sum(lab.metric(n, "ste_reconnects_total") for n in names) > before
