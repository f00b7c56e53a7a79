# SPDX-License-Identifier: Apache-2.0
"""ste-bench qos counts every message and leaves nothing behind; ste-bench compare judges by ratios."""
import json
import signal
import subprocess
import time

import pytest

from lab import wait_for


def left_behind(lab):
    """Queues and exchanges of a sweep that are still there."""
    return [item["name"] for kind in ("queues", "exchanges")
            for item in lab.broker("%s/%%2F?columns=name" % kind)
            if item["name"].startswith("ste.qos")]


def rows(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["points"]


@pytest.mark.parametrize("mode, copies", [("topic", 3), ("work", 1)])
def test_every_receiver_gets_what_was_sent(lab, tmp_path, mode, copies):
    result = tmp_path / "qos.json"
    lab.bench("qos", "--sizes", "512", "--demand", "200", "--receivers", "3", "--senders", "2",
              "--seconds", "1", "--mode", mode, "--json", str(result))
    points = rows(result)
    assert [p["kind"] for p in points] == ["durable", "volatile"]
    for point in points:
        assert point["sent"] > 0 and point["lost"] == 0
        assert point["received"] == copies * point["sent"]
        assert point["sent"] <= 200  # an open loop never sends more than was asked for
    assert left_behind(lab) == []


def test_keys_share_the_messages_out(lab, tmp_path):
    result = tmp_path / "qos.json"
    done = lab.bench("qos", "--sizes", "4096", "--demand", "full", "--receivers", "1,2", "--keys", "2",
                     "--seconds", "1", "--kind", "durable", "--json", str(result))
    for point in rows(result):
        assert point["received"] == point["sent"] and point["lost"] == 0
    assert "durable / volatile" in done.stdout


def test_one_sweep_at_a_time_and_a_signal_leaves_nothing_behind(lab):
    command = [lab.program("ste-bench"), "qos", "--config", lab.config, "--seconds", "60",
               "--receivers", "2", "--sizes", "512", "--demand", "50"]
    sweep = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: len(left_behind(lab)) == 3, 20, "exchange and two queues of the sweep")
        second = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=30, check=False)
        assert second.returncode == 1 and "another sweep runs on this broker" in second.stderr
        assert sweep.poll() is None and len(left_behind(lab)) == 3
        sweep.send_signal(signal.SIGINT)
        _, errors = sweep.communicate(timeout=30)
    finally:
        if sweep.poll() is None:
            sweep.kill()
            sweep.wait()
    assert sweep.returncode == 1 and "interrupted" in errors
    assert left_behind(lab) == []


def test_wrong_usage(lab):
    for words in (("--sizes", "1"), ("--demand", "fast"), ("--kind", "eternal"), ("--mode", "fan")):
        assert lab.bench("qos", *words, check=False).returncode == 2, words


def test_a_result_that_cannot_be_written_is_told_first(lab, tmp_path):
    """Before the work, and nothing is left or changed."""
    begin = time.monotonic()
    done = lab.bench("qos", "--seconds", "60", "--json", str(tmp_path / "none" / "qos.json"), check=False)
    assert done.returncode == 1 and "--json" in done.stderr and "none/qos.json" in done.stderr
    done = lab.bench("qos", "--seconds", "60", "--csv", str(tmp_path), check=False)
    assert done.returncode == 1 and "--csv" in done.stderr
    assert time.monotonic() - begin < 30
    kept = tmp_path / "kept.json"
    kept.write_text("before")
    words = ("--demand", "fast", "--json", str(kept), "--csv", str(tmp_path / "new.csv"))
    assert lab.bench("qos", *words, check=False).returncode == 2
    assert kept.read_text() == "before" and not (tmp_path / "new.csv").exists()


def test_gen_overwrites_only_when_told(lab, tmp_path):
    path = tmp_path / "trades.xml"
    words = ("gen", "--trades", "3", "--xml", str(path))
    lab.bench(*words)
    before = path.read_bytes()
    done = lab.bench(*words, "--seed", "2", check=False)
    assert done.returncode == 1 and "--force" in done.stderr and path.read_bytes() == before
    lab.bench(*words, "--seed", "2", "--force")
    assert path.read_bytes() != before


def test_compare_judges_by_ratios(lab, tmp_path):
    def write(name, singles, ceiling=20000):
        path = tmp_path / name
        path.write_text(json.dumps({
            "experiment": "speed", "runs": [{"singles": s, "broker alone": ceiling} for s in singles],
            "ratios": [{"singles / broker alone": s / ceiling} for s in singles]}))
        return str(path)

    def status(*words):
        return lab.tool("ste-bench", "compare", *words, check=False).returncode

    before = write("a.json", (10000, 10400, 9800))
    same = write("same.json", (9900, 10100, 10000))
    worse = write("worse.json", (7000, 7100, 7200))
    slower_machine = write("slow.json", (5000, 5200, 4900), ceiling=10000)
    assert status(before, same) == 0
    assert status(before, worse) == 1
    assert status(worse, before) == 0
    assert status(before, worse, "--tolerance", "40%") == 0
    assert status(before, slower_machine) == 0
    assert status(before, slower_machine, "--absolute") == 1
    assert status("--a", before + "," + same, "--b", worse) == 1
    assert status(before) == 2
    assert status(before, str(tmp_path / "none.json")) == 2
