# SPDX-License-Identifier: Apache-2.0
"""deploy/lab.d/cpu.sh: the functions themselves, on a stand-in for a node, and on a folder that looks
like control groups of version 2, or of version 1."""
import os
import subprocess
import time

import pytest

from lab import LAB, TOP

PARTS = os.path.join(TOP, "deploy", "lab.d")
SCRIPT = """set -eu
here=%s/deploy dir=$1
for part in base process cpu; do . "$here/lab.d/$part.sh"; done
node_cpu=$2 shard_cpu=$3
%%s
""" % TOP
BUSY = "process_start node-1 \"$dir/log/node-1.log\" sh -c 'while :; do :; done'"


def shell(commands, folder, node="none", shard="none", cgroups=None, check=True):
    environment = dict(os.environ)
    environment.pop("STE_LAB_CGROUPS", None)
    if cgroups:
        environment["STE_LAB_CGROUPS"] = str(cgroups)
    done = subprocess.run(["sh", "-c", SCRIPT % commands, "sh", str(folder), node, shard], text=True,
                          env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.fixture
def instance(tmp_path):
    """A folder as of an instance, with a busy process for a node."""
    try:
        yield tmp_path
    finally:
        shell("process_kill node-1; cpu_forget", tmp_path)


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_held_node_stays_below_its_share(instance):
    usable = shell("cpu_prepare", instance, node="0.05", check=False)
    if usable.returncode != 0:
        pytest.skip(usable.stderr.strip())
    pid = int(shell(BUSY + " && cpu_hold_all && process_pid node-1", instance, node="0.05").stdout)
    assert (instance / "cpu-shares").read_text() == "node=0.05\n"
    begin, used = time.monotonic(), cpu_seconds(pid)
    time.sleep(2)  # what is measured is an interval
    used = (cpu_seconds(pid) - used) / (time.monotonic() - begin)
    assert 0.01 < used < 0.075  # 20 ms in each tick of the clock, 100 a second
    shell("cpu_hold_all", instance)  # to be held no more
    assert not (instance / "cpu-shares").exists()
    begin, used = time.monotonic(), cpu_seconds(pid)
    time.sleep(1)
    assert (cpu_seconds(pid) - used) / (time.monotonic() - begin) > 0.1
    tree = shell("cpu_find && cpu_tree", instance).stdout.strip()
    assert os.path.isdir(tree)
    shell("process_kill node-1; cpu_forget", instance)
    assert not os.path.exists(tree)


def fake_v2(folder, controllers="cpuset cpu io memory"):
    folder.mkdir()
    (folder / "cgroup.controllers").write_text(controllers + "\n")
    (folder / "cgroup.subtree_control").write_text("")
    return folder


def test_version_2(instance):
    cgroups = fake_v2(instance / "cgroup")
    pid = shell(BUSY + " && cpu_hold_all && process_pid node-1", instance, "0.1", "0.025",
                cgroups).stdout.strip()
    assert (cgroups / "cgroup.subtree_control").read_text() == "+cpu\n"
    tree, = (f for f in cgroups.iterdir() if f.is_dir())
    # Its parent hands the controller on and has no process of its own.
    assert (tree / "cgroup.subtree_control").read_text() == "+cpu\n"
    assert not (tree / "cgroup.procs").exists()
    assert (tree / "node-1" / "cpu.max").read_text() == "2000 20000\n"
    assert (tree / "node-1" / "cgroup.procs").read_text() == pid + "\n"
    assert (instance / "cpu-shares").read_text() == "node=0.1 shard=0.025\n"
    shell("cpu_lift_all", instance, "0.1", "0.025", cgroups)
    assert (tree / "node-1" / "cpu.max").read_text() == "max 100000\n"


def test_version_2_beside_version_1(instance):
    """Hybrid: the controller is where its hierarchy is."""
    top = instance / "cgroup"
    top.mkdir()
    unified, one = fake_v2(top / "unified", "hugetlb"), top / "cpu,cpuacct"
    one.mkdir()
    (one / "cpu.shares").write_text("1024\n")
    shell(BUSY + " && cpu_hold_all", instance, "0.02", cgroups=top)
    assert [f.name for f in unified.iterdir() if f.is_dir()] == []
    tree, = (f for f in one.iterdir() if f.is_dir())
    assert (tree / "node-1" / "cpu.cfs_period_us").read_text() == "50000\n"  # quota: 1 ms at least
    assert (tree / "node-1" / "cpu.cfs_quota_us").read_text() == "1000\n"


def test_no_controller_is_an_error(instance):
    cgroups = fake_v2(instance / "cgroup", "io memory")
    done = shell("cpu_prepare", instance, "0.1", cgroups=cgroups, check=False)
    assert done.returncode == 1
    assert "no cpu controller" in done.stderr
    assert shell("cpu_prepare", instance, cgroups=cgroups).stderr == ""  # nothing asked for


@pytest.mark.parametrize("value", ["0", "x", "65", "0.001", "1.2.3", ".5", "", "-1"])
def test_share_is_checked(value):
    done = subprocess.run([LAB, "up", "--node-cpu", value], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "--node-cpu: " in done.stderr
