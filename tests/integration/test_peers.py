# SPDX-License-Identifier: Apache-2.0
"""The plain service that benchmarks compare the engine with: it does the work it is measured at."""
import base64
import json
import os
import subprocess
import sys

import pytest

from lab import TOP
from messages import trade

PEERS = os.path.join(TOP, "bench", "peers")
sys.path.insert(0, os.path.join(PEERS, "python"))
import rules  # noqa: E402  it stands beside the service

CONFIG = {
    "keys": {"STEHSGSG/hub": {"participant": "STEHSGSG",
                              "secret": base64.b64encode(b"key of twenty-one bytes").decode()}},
    "participants": {"STEHSGSG": {"roles": ["operator"], "sends_for": ["*"]},
                     "BROKSGSG": {"roles": ["broker"]}, "INVMSGSG": {"roles": ["manager"]},
                     "CUSTSGSG": {"roles": ["custodian"]}, "CUSBSGSG": {"roles": ["custodian"]}},
    "currencies": {"SGD": 2}, "countries": ["SG"], "rates": {"SGD": "1.45"},
}


def test_signature_is_that_of_the_wire():
    """The vector of docs/WIRE.md."""
    headers = {"ste-key-id": "STEHSGSG/hub",
               "ste-signature": "YgF5eKqYUfs/ADaoHaITF8ccBOmcmCrAroSGn+qu89Y="}
    assert rules.verified_participant(CONFIG, headers, b"<TradeMessage/>") == "STEHSGSG"
    with pytest.raises(rules.Refused):
        rules.verified_participant(CONFIG, headers, b"<TradeMessage />")


def checked(**changes):
    messages = [rules.parse(text) for text in trade("standard", "T1").values()]
    for message in messages:
        if message["type"] == changes.get("type"):
            message.update(changes.get("put", {}))
        rules.check(CONFIG, message, "STEHSGSG")
    return messages


def test_seven_messages_agree():
    messages = checked()
    for left_out in messages:
        assert not rules.is_complete([m for m in messages if m is not left_out])
    assert rules.is_complete(messages)
    assert rules.differences(CONFIG, messages) == []
    assert rules.clearing_message(messages).count(b"<Leg ") == 2


@pytest.mark.parametrize("kind, put, found", [
    ("NOE", {"Price": "37.53"}, ["Price"]),
    ("NOE", {"Price": "37.520"}, []),
    ("NOE", {"Quantity": "999"}, ["Quantity"]),
    ("SET", {"ReceivingAgent": "CUSTSGSGXXX"}, []),  # its first eight characters count
    ("SET", {"SettlementDate": "2026-12-03"}, ["SettlementDate"]),
    ("NPR", {"SettlementAmount": "22537.41"}, []),  # 2.90 SGD are EUR 2
    ("NPR", {"SettlementAmount": "22537.42"}, ["SettlementAmount"]),
])
def test_differences(kind, put, found):
    messages = checked()
    next(m for m in messages if m["type"] == kind).update(put)
    assert rules.differences(CONFIG, messages) == found


@pytest.mark.parametrize("put", [
    {"Sender": "NOBOSGSG"}, {"Sender": "INVMSGSG"}, {"SettlementDate": "2026-11-29"},
    {"Commission": "1.001"}, {"Commission.currency": "XXQ"}, {"Quantity": "1e3"}, {"Country": "ZZ"},
])
def test_refused(put):
    with pytest.raises(rules.Refused):
        checked(type="NPR", put=put)


def start_peer(lab, folder, *options):
    return subprocess.run(
        [os.path.join(PEERS, "run"), "--dir", lab.folder, "--set", folder, "--peer", "python",
         "--consumers", "2", *options],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False)


def run_peer(lab, folder, *options):
    result = os.path.join(folder, "peer.json")
    done = start_peer(lab, folder, "--json", result, *options)
    with open(result, encoding="utf-8") as file:
        return done.returncode, json.load(file)


def test_every_trade_has_one_cls_and_nothing_stays(lab, tmp_path):
    folder = str(tmp_path)
    lab.bench("gen", "--trades", "20", "--out", folder)
    status, did = run_peer(lab, folder)
    assert (status, did["messages"], did["cls"], did["refused"]) == (0, 140, 20, 0)
    assert did["msg_per_s"] > 0
    assert lab.ask_broker("queues/%2F/peer.in").status_code == 404
    assert lab.ask_broker("queues/%2F/peer.cls").status_code == 404
    with pytest.raises(subprocess.CalledProcessError):
        lab.root_sql(0, "USE peer")
    # A message that is wrong shows in the result.
    file = tmp_path / "set.ste"
    file.write_bytes(file.read_bytes().replace(b"<Sender>", b"<Sendex>", 1))
    status, did = run_peer(lab, folder, "--messages", "139")
    assert (status, did["passed"], did["messages"], did["refused"]) == (1, False, 139, 1)
    assert did["cls"] < did["trades"] == 19


def test_failures_are_one_line(lab, tmp_path):
    """No set, an empty set, no such shard: told, not traced."""
    folder = str(tmp_path)
    for options in (), ("--shard", "15"):
        done = start_peer(lab, folder, *options)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    (tmp_path / "set.ste").write_bytes(b"")
    done = start_peer(lab, folder)
    assert (done.returncode, done.stderr) == (1, "run: no messages in %s\n" % folder)
