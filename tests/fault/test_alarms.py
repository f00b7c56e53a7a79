# SPDX-License-Identifier: Apache-2.0
"""F5: memory and disk alarms of the broker. Publishers pause, consumers drain, /readyz says why,
nothing hangs, and everything goes on by itself."""
import contextlib

from lab import wait_for

TRADES = 1000
MEMORY_LOW = ["set_vm_memory_high_watermark", "absolute", "1"]
DISK_LOW = ["set_disk_free_limit", "100000000000000"]


def limits(lab):
    """What the lab's configuration says, to go back to."""
    lines = dict(l.split(" = ") for l in lab.read("broker", "rabbitmq.conf").splitlines()
                 if " = " in l)
    return (["set_vm_memory_high_watermark", "absolute", lines["vm_memory_high_watermark.absolute"]],
            ["set_disk_free_limit", lines["disk_free_limit.absolute"]])


def alarms(lab):
    """As they are now; the statistics of nodes lag by seconds."""
    answer = lab.ask_broker("health/checks/local-alarms")
    return {a["resource"] for a in answer.json().get("alarms", ())}


def work_queues(lab):
    return ["ste.%s.%02d" % (t, s) for t in ("noe", "alb", "npr", "set")
            for s in range(lab.shard_count())]


def assert_blocked(lab, names):
    for name in names:
        wait_for(lambda: lab.get(name, "/readyz")[0] == 503, 15, "%s not ready" % name)
        assert "blocks publishers" in lab.get(name, "/readyz")[1]
        assert lab.get(name, "/livez")[0] == 200


def test_memory_and_disk_alarm(lab, records):
    """Routers and nodes are held back until work waits for each of them, so that all of them want
    to publish once the alarm is there."""
    routers, nodes = lab.components("routers"), lab.components("nodes")
    memory_right, disk_right = limits(lab)
    try:
        with contextlib.ExitStack() as stack:
            for name in nodes:
                stack.enter_context(lab.frozen(name))
            run = records.start(TRADES, rate=TRADES * 4)
            wait_for(lambda: lab.ready("ste.in") == 0 and run.running_for(0.8), 20, "half is sent")
            for name in routers:
                stack.enter_context(lab.frozen(name))
            lab.rabbitmqctl(*MEMORY_LOW)
            wait_for(lambda: "memory" in alarms(lab), 10, "the memory alarm")
        assert_blocked(lab, routers + nodes)
        assert run.cleared() < TRADES
        wait_for(lambda: lab.ready(*work_queues(lab)) == 0, 20, "consumers drain")
        assert lab.query_all("SELECT 1 FROM outbox LIMIT 1"), "what nodes have to say waits"

        for name in ("node-1", "router-1"):  # TERM ends them all the same; what they hold comes again
            lab.end(name, 20)
        lab.rabbitmqctl(*DISK_LOW)
        lab.rabbitmqctl(*memory_right)
        wait_for(lambda: alarms(lab) == {"disk space"}, 10, "the disk alarm alone")
        assert_blocked(lab, ["node-2", "router-2"])
    finally:
        lab.rabbitmqctl(*memory_right)
        lab.rabbitmqctl(*disk_right)
    for name in ("node-1", "router-1"):
        lab.launch(name)
    for name in routers + nodes:
        wait_for(lambda: lab.is_ready(name), 15, "%s ready: %s" % (name, lab.get(name, "/readyz")))
    run.finish()
