# SPDX-License-Identifier: Apache-2.0
"""deploy/lab demo: its result, and that nothing stays behind however it ends."""
import json
import os
import signal
import subprocess

import pytest

from lab import LAB, TOP, Lab, nothing_runs_in, processes_of, wait_for

FOLDER = os.path.join(TOP, "build", "demo-test")


def attentive():
    """A shell cannot trap what was ignored before it: INT is where a script started us with &."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def demo(lab):
    """Starts a demo with the session's programs in a folder that is gone afterwards."""
    started = []

    def start(*options):
        process = subprocess.Popen(
            [LAB, "demo", "--dir", FOLDER, "--bin", os.path.dirname(lab.program("ste-node")),
             "--shards", "1", "--nodes", "1", *options], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            preexec_fn=attentive)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()
            process.communicate()
    Lab(FOLDER).down("--wipe")


def test_result(demo, tmp_path):
    target = tmp_path / "demo.json"
    process = demo("--trades", "300", "--batch", "16", "--as-of", "2026-11-30", "--json", str(target))
    output = process.communicate(timeout=120)[0]
    assert process.returncode == 0, output
    result = json.loads(target.read_text())
    assert result["trades"] == result["cls"] == 300
    assert result["messages"] == 2100
    assert [result[k] for k in ("lost", "duplicates", "misplaced", "exceptions")] == [0] * 4
    assert result["seconds"] > 0 and result["msg_per_s"] > 0
    assert 0 < result["latency_ms"]["p50"] <= result["latency_ms"]["p99"]
    assert "exactly one a trade" in output
    nothing_runs_in(FOLDER)


@pytest.mark.parametrize("number, moment", [
    (signal.SIGINT, ("run", "broker.pid")),  # while services start
    (signal.SIGTERM, ("set", "set.ste")),    # while trades are generated or sent
])
def test_signal_leaves_nothing_running(demo, number, moment):
    process = demo("--trades", "20000")
    wait_for(lambda: os.path.exists(os.path.join(FOLDER, *moment)), 60, "/".join(moment))
    assert processes_of(FOLDER)
    os.killpg(process.pid, number)  # as a terminal does
    process.communicate(timeout=60)
    assert process.returncode == 128 + number
    nothing_runs_in(FOLDER)


def test_failure_says_what_and_where(demo, tmp_path):
    """An engine that never answers: a node that is replaced by something that is none."""
    broken = tmp_path / "bin"
    broken.mkdir()
    for name, text in (("ste-admin", "exit 0"), ("ste-router", "exit 0"),
                       ("ste-node", "echo no such wheel >&2; exit 1")):
        (broken / name).write_text("#!/bin/sh\n%s\n" % text)
        (broken / name).chmod(0o755)
    process = demo("--bin", str(broken))
    output = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert "router-1 is not ready (log: %s/log/router-1.log)" % FOLDER in output
    nothing_runs_in(FOLDER)


def test_only_a_demos_folder_is_emptied(lab):
    done = subprocess.run([LAB, "demo", "--dir", lab.folder, "--bin", "/nowhere"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert "name another --dir" in done.stderr
    assert lab.run("status").returncode == 0
