# SPDX-License-Identifier: Apache-2.0
"""deploy/lab itself: safe to repeat, side by side, loopback only, ends only what it started."""
import os
import stat
import subprocess

import pytest
import requests

from lab import Lab, TOP, listeners_of, nothing_runs_in, process_state, processes_of


@pytest.fixture(scope="module")
def second(lab):
    """Broker and shards of another instance, beside the session's."""
    instance = Lab(os.path.join(TOP, "build", "lab-second"))
    if os.path.exists(instance.path("lab.conf")):
        instance.down("--wipe")
    try:
        instance.up("--services", "--shards", "1", "--as-of", "2024-02-29")
        yield instance
    finally:
        instance.down("--wipe")


def test_listens_on_loopback_only(lab):
    pids = set(lab.pids().values()) | set(processes_of(lab.folder))
    listeners = listeners_of(pids)
    assert {port for _, port in listeners} == set(lab.ports().values())
    assert [l for l in listeners if l[0] not in ("127.0.0.1", "::1")] == []


def test_listener_off_loopback_would_be_seen():
    child = subprocess.Popen(
        ["/usr/bin/python3", "-c",
         "import socket; s = socket.create_server(('0.0.0.0', 0)); print(s.getsockname()[1], flush=True);"
         "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        port = int(child.stdout.readline())
        assert listeners_of([child.pid]) == {("0.0.0.0", port)}
    finally:
        child.communicate("\n")


def test_up_again_changes_nothing(second):
    before, ports, config = second.pids(), second.ports(), second.read("cluster.yaml")
    keys = second.read("keys", "STEHSGSG", "hub")
    second.up("--services")
    assert second.pids() == before
    assert second.ports() == ports
    assert second.read("cluster.yaml") == config
    assert second.read("keys", "STEHSGSG", "hub") == keys
    assert second.run("status").returncode == 0


def test_side_by_side(lab, second):
    assert not set(lab.ports().values()) & set(second.ports().values())
    assert not set(lab.pids().values()) & set(second.pids().values())
    with pytest.raises(requests.HTTPError) as refused:  # one's password opens nothing at the other
        requests.get("http://127.0.0.1:%d/api/overview" % second.ports()["management"], timeout=10,
                     auth=("ste-admin", lab.secret("broker-admin"))).raise_for_status()
    assert refused.value.response.status_code == 401


def test_business_date_is_the_option(second):
    assert str(second.map()["cluster"]["business_date"]) == "2024-02-29"


def test_secrets_are_for_the_owner_alone(lab):
    private = [lab.path("secrets", n) for n in os.listdir(lab.path("secrets"))]
    for folder, _, names in os.walk(lab.path("keys")):
        private += [os.path.join(folder, n) for n in names if not n.endswith(".pub")]
    private += [lab.path("broker", "rabbitmq.conf"), lab.path("broker", ".erlang.cookie")]
    assert len(private) > 120
    assert [p for p in private if stat.S_IMODE(os.stat(p).st_mode) & 0o077] == []


def test_no_secret_in_a_process_list(lab):
    secrets = [lab.secret(n).encode() for n in os.listdir(lab.path("secrets"))]
    for pid in processes_of(lab.folder):
        for name in ("cmdline", "environ"):
            with open("/proc/%d/%s" % (pid, name), "rb") as file:
                text = file.read()
            assert not any(s in text for s in secrets), "a secret in %s of %d" % (name, pid)


def test_guest_is_gone(lab):
    users = {u["name"]: u["tags"] for u in lab.broker("users")}
    assert "guest" not in users
    assert "administrator" in users["ste-admin"]


def test_shards_fixed_at_creation(second):
    done = second.run("up", "--services", "--no-build", "--shards", "3", check=False)
    assert done.returncode == 1
    assert "fixed at creation" in done.stderr


def test_restart_of_parts(second):
    before = second.pids()
    second.restart("shard", "0")
    second.restart("broker", kill=True)
    after = second.pids()
    assert after.keys() == before.keys()
    assert after["shard-0"] != before["shard-0"]
    assert after["broker"] != before["broker"]


def test_unknown_part_is_refused(second):
    for words in (("restart", "shard", "1"), ("restart", "node", "node-77"), ("stop", "cellar")):
        assert second.run(*words, check=False).returncode == 1


def test_down_ends_all_it_started_and_nothing_else(second):
    """Also where a pid file names a process that died and whose id now belongs to a stranger."""
    assert len(processes_of(second.folder)) >= 3
    stranger = subprocess.Popen(["sleep", "300"])
    try:
        with open(second.path("run", "node-9.pid"), "w", encoding="ascii") as file:
            file.write("%d 1\n" % stranger.pid)
        second.down()
        assert stranger.poll() is None
        assert process_state(stranger.pid) == "S"
    finally:
        stranger.kill()
        stranger.wait()
    nothing_runs_in(second.folder)
    assert second.pids() == {}
    assert second.run("status", check=False).returncode == 1
    second.down()  # again: nothing to do


def test_usage_errors():
    for words in (["up", "--shards", "17"], ["up", "--shards", "x"], ["up", "--as-of", "2026-02-30"],
                  ["fly"], ["up", "--replies", "some"], ["up", "--dir"]):
        done = subprocess.run([os.path.join(TOP, "deploy", "lab"), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2, words
        assert "usage: deploy/lab" in done.stderr
