# SPDX-License-Identifier: Apache-2.0
"""bench/experiments without a lab: what is counted, predicted and written."""
import argparse
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys

import pytest

from lab import TOP

FOLDER = os.path.join(TOP, "bench", "experiments")
EXPERIMENTS = ("full-speed", "latency", "qos", "sample", "scale-out", "volume")


def module(name, file=None):
    """A module or script of bench/experiments, whose `lab` is not that of these tests."""
    path = os.path.join(FOLDER, file or name + ".py")
    loader = importlib.machinery.SourceFileLoader("experiments_" + name, path)
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    own = sys.modules.pop("lab", None)
    sys.path.insert(0, FOLDER)
    try:
        loader.exec_module(found)
    finally:
        sys.path.remove(FOLDER)
        sys.modules["lab"] = own
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_help(name):
    done = subprocess.run([os.path.join(FOLDER, name), "--help"], stdout=subprocess.PIPE, text=True,
                          timeout=30, check=True)
    for option in ("--rounds N", "--quick", "--json FILE", "--csv FILE", "--dir DIR"):
        assert option in done.stdout


def test_every_experiment_is_in_the_readme():
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        text = file.read()
    scripts = [n for n in os.listdir(FOLDER) if "." not in n and not n.startswith("_")]
    assert set(EXPERIMENTS) <= set(scripts)
    assert [n for n in scripts if "`%s" % n not in text] == []


def test_a_signal_waits_until_the_lab_is_down(tmp_path):
    """Also one to the whole group, as a terminal sends it."""
    (tmp_path / "lab.conf").touch()
    (tmp_path / "deploy").mkdir()
    fake = tmp_path / "deploy" / "lab"
    fake.write_text("#!/bin/sh\necho down\nkill -HUP 0\nkill -INT 0\nrm %s/lab.conf\n" % tmp_path)
    fake.chmod(0o755)
    program = """if True:
        import sys; sys.path.insert(0, %r)
        import lab
        lab.TOP = %r
        one = lab.Lab.__new__(lab.Lab)
        one.folder = lab.TOP
        def main():
            one.down()
            print("not reached")
        lab.run_experiment(main)""" % (FOLDER, str(tmp_path))
    done = subprocess.run([sys.executable, "-B", "-c", program], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=30, check=False,
                          start_new_session=True)
    assert done.returncode == 1 and "stopped by a signal" in done.stderr
    assert done.stdout == "" and not (tmp_path / "lab.conf").exists()


def test_steady_rate_leaves_out_beginning_and_end():
    lab = module("lab")
    counter = lab.Counter.__new__(lab.Counter)
    # 100 before; a slow second, then 500 a second, then a slow tail.
    counter.series = [(0.0, 100), (1.0, 110), (2.0, 610), (3.0, 1110), (4.0, 1610), (9.0, 1650)]
    assert counter.steady(0.15, 0.98, 1550) == 500
    assert counter.steady(0.9, 0.95, 1550) is None


def test_guess_learns_of_the_narrowest():
    points = module("points")
    guess = points.Guess(node_cpu=0.014, shard_cpu=0.08)
    assert guess.rate(1, 4) == pytest.approx(1000)  # the node
    guess.learn(1, 4, 500)
    assert guess.rate(2, 4) == pytest.approx(1000)
    assert guess.rate(8, 1) == pytest.approx(2000)  # the shard, as before
    assert points.parse(points.text(points.POINTS)) == points.POINTS
    assert list(points.steps(points.QUICK)) == [((2, 1), (1, 1)), ((2, 2), (2, 1))]
    for text in ("1", "1x17", "0x1", "axb"):
        with pytest.raises(ValueError):
            points.parse(text)


def test_volume_stores_what_was_asked_for():
    volume = module("volume", "volume")
    for trades in (4000, 1000000):
        chosen = argparse.Namespace(trades=trades)
        assert volume.warm_up(chosen) + sum(t for t, _ in volume.parts(chosen)) == trades
    with pytest.raises(volume.LabError, match="free"):
        volume.need_disk("/", "a test", 1e18)


def test_result(tmp_path, capsys):
    result = module("result")
    chosen = argparse.Namespace(rounds=2, quick=False)
    found = result.Result("thing", chosen, {"trades": 5}, ("run", "name", "msg_per_s"))
    found.runs += [{"a, b": 10.0}, {"a, b": 30.0}]
    found.ratios += [{"a / b": 0.5}, {"a / b": 0.7}]
    found.row(1, "a, b", 10.5)
    found.goal("a / b", 0.6, 0.5)
    found.goal("p99", 60.0, 50, low=False)
    found.show()
    found.write(tmp_path / "r.json", tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "run,name,msg_per_s\n1,a; b,10.5\n"
    text = json.loads((tmp_path / "r.json").read_text())
    assert {"experiment", "machine", "commit", "settings", "runs", "ratios"} <= text.keys()
    assert text["settings"] == {"trades": 5, "rounds": 2, "quick": False}
    assert [g["met"] for g in text["goals"]] == [True, False]
    shown = capsys.readouterr().out
    assert "a, b" in shown and "10-30" in shown and "missed" in shown
    with pytest.raises(ValueError):
        found.row(1)


def test_a_complaint_is_told_though_a_long_table_follows():
    lines = ["ste-bench qos: of 600 messages 7 lost\n"] + ["row %d\n" % n for n in range(30)]
    telling = module("lab").telling
    told = telling(lines)
    assert told[0] == lines[0]
    assert told[1:] == lines[-12:]
    assert telling(lines[:3]) == lines[:3]  # nothing twice
