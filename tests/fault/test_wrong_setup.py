# SPDX-License-Identifier: Apache-2.0
"""F8b: swapped shard addresses, another shard count, a typed queue deleted by hand. It is refused with
both values; nothing is stored in the wrong place, nothing is acked that is not stored."""
import os
import re

import yaml

import messages
from lab import wait_for
from wire import read_set

TRADES = 100


def variant(lab, name, change):
    """The instance's map with a change, beside it, so that its paths hold."""
    tree = yaml.safe_load(lab.read("cluster.yaml"))
    change(tree)
    path = lab.path(name + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(tree, file, sort_keys=False)
    return path


class Log:
    """What a component says from now on."""

    def __init__(self, lab, name):
        self.path = lab.path("log", name + ".log")
        self.begin = os.path.getsize(self.path)

    def says(self, text):
        with open(self.path, encoding="utf-8") as file:
            file.seek(self.begin)
            return text in file.read()


def refused(lab, name, config, text):
    """Started with another map it stays alive, not ready, and says both values."""
    log = Log(lab, name)
    lab.end(name)
    lab.launch(name, config=config)
    wait_for(lambda: lab.get(name, "/readyz")[0] == 503 and
             "not the one the map says" in lab.get(name, "/readyz")[1], 15, "%s refuses" % name)
    assert log.says(text), text
    assert lab.alive(name)


def stored(lab, shard):
    return lab.query(shard, "SELECT COUNT(*) AS n FROM message")[0]["n"]


def of_shard(lab, folder, shard):
    """Trades of the set on this shard."""
    found = {re.search(b"<TradeReference>(.*?)<", body).group(1).decode() for body in read_set(folder)}
    return sum(1 for r in found if messages.shard_of(r, lab.shard_count()) == shard)


def test_swapped_shard_addresses(lab, records):
    def swap(tree):
        first, second = tree["shards"]
        first["port"], second["port"] = second["port"], first["port"]
    config = variant(lab, "swapped", swap)
    refused(lab, "node-1", config, "shard 0: shard number is 1 there, 0 in the map")
    refused(lab, "node-3", config, "shard 0: shard number is 1 there, 0 in the map")

    folder = records.make_set(TRADES)
    mine, others = of_shard(lab, folder, 0), of_shard(lab, folder, 1)
    before = [stored(lab, s) for s in (0, 1)]
    run = records.start(TRADES, folder)
    wait_for(lambda: stored(lab, 1) == before[1] + 7 * others, 20, "shard 1 has its own")
    run.wait_cleared(others)
    assert stored(lab, 0) == before[0] and run.cleared() == others
    assert mine > 0 and lab.ready(*["ste.%s.00" % t for t in ("noe", "alb", "npr", "set")]) > 0
    done = lab.admin("migrate", "--check", config=config, check=False)
    assert done.returncode == 1 and "shard number is 1 there, 0 in the map" in done.stdout + done.stderr
    done = lab.admin("migrate", config=config, check=False)
    assert done.returncode == 1, "migrate must leave a foreign shard alone"
    for name in ("node-1", "node-3"):
        lab.relaunch(name)
    run.finish()


def test_another_shard_count(lab, records):
    """A node refuses; a router cannot know, and its records are sent on by the nodes."""
    def halve(tree):
        tree["cluster"]["shard_count"] = 1
        del tree["shards"][1]
        for node in tree["components"]["nodes"]:
            node["assignments"] = [{"shard": 0, "workers": 1}]
    config = variant(lab, "halved", halve)
    refused(lab, "node-1", config, "shard 0: shard count is 2 there, 1 in the map")
    lab.relaunch("node-1")

    names = lab.components("nodes")
    strangers = sum(lab.metric(n, "ste_strangers_total") for n in names)
    for name in ("router-1", "router-2"):
        lab.end(name)
    lab.launch("router-1", config=config)
    folder = records.make_set(TRADES)
    others = of_shard(lab, folder, 1)
    run = records.start(TRADES, folder)
    run.finish()
    assert sum(lab.metric(n, "ste_strangers_total") for n in names) - strangers == 7 * others > 0
    lab.relaunch("router-1")


def test_typed_queue_deleted_by_hand(lab, records):
    """Empty, then gone: what it should take stays in ste.in until topology makes it again."""
    wait_for(lambda: lab.ready("ste.noe.00") == 0, 10, "the queue is empty")
    lab.broker("queues/%2F/ste.noe.00", "DELETE")
    for name in ("node-1", "node-3"):
        wait_for(lambda: lab.get(name, "/readyz")[0] == 503, 15, "%s has noticed" % name)
    folder = records.make_set(TRADES)
    others = of_shard(lab, folder, 1)
    run = records.start(TRADES, folder)
    run.wait_cleared(others)
    for name in lab.components("routers"):
        wait_for(lambda: "typed queue is missing" in lab.get(name, "/readyz")[1], 15,
                 "%s says what is missing" % name)
    assert run.cleared() == others < TRADES
    lab.admin("topology")
    run.finish()
