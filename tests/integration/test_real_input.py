# SPDX-License-Identifier: Apache-2.0
"""Files as people and programs send them, through ste-submit: a bond written by hand, its mistakes,
odd encodings, one message, twenty thousand."""
import itertools
import os
import re
import subprocess
import time

import pytest
from stdnum import isin

import messages
from lab import TOP, Submitted
from wire import read_set

BOND = os.path.join(TOP, "tests", "data", "bond.xml")
BOND_REFERENCE = "LSE20261130004711"
numbers = itertools.count(int(time.time()) % 1000000 * 1000)


def fresh():
    """A trade reference that no test has used."""
    return "REAL%d" % next(numbers)


class Bond:
    """The file, its trade reference made new; edits are within one message, named by reference."""

    def __init__(self):
        self.reference = fresh()
        with open(BOND, encoding="utf-8") as file:
            self.text = file.read().replace(BOND_REFERENCE, self.reference)

    def edit(self, reference, find, put):
        begin = self.text.index(reference)
        at = self.text.index(find, begin)
        assert at < self.text.index("</TradeMessage>", begin)
        self.text = self.text[:at] + put + self.text[at + len(find):]

    def one(self, reference):
        """That message alone, without namespace."""
        return re.search(r"<TradeMessage (?:(?!</TradeMessage>).)*%s.*?</TradeMessage>" % reference,
                         self.text, re.DOTALL).group(0)


@pytest.fixture
def send(lab, tmp_path):
    def send(text, name="file.xml", **options):
        path = os.path.join(tmp_path, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        done = lab.submit(path, **options)
        assert done.status == 0, (done.stderr, done.replies)
        return done
    return send


def test_bond_clears(send):
    done = send(Bond().text)
    assert done.summary == {"submitted": 7, "ack": 7, "rej": 0, "exc": 0, "dupl": 0, "nma": 0,
                            "mac": 4, "cls": 1}
    cls, = done.of("CLS")
    assert (cls["action"], cls["version"]) == ("NEWM", 1)
    assert [(l["account"], l["quantity"], l["settlement_amount"], l["currency"])
            for l in cls["legs"]] == [("SAFE-0001", "2000000", "2023575.66", "GBP"),
                                      ("SAFE-0002", "2000000", "2023575.66", "GBP")]
    assert {m["to"] for m in done.of("MAC")} == {"BROKGB2L", "INVMGB2L", "CUSTGB2L", "CUSBGB2L"}


def test_bond_clears_signed_by_each_sender(lab, send):
    done = send(Bond().text, options=["--keys", lab.path("keys")])
    assert (done.summary["ack"], done.summary["cls"]) == (7, 1)
    assert len({r["delivery"] for r in done.of("ACK")}) == 4  # one delivery a signer


def test_bond_with_a_wrong_settlement_date(send):
    bond = Bond()
    bond.edit("CUSB-S-10377", "2026-12-02", "2026-12-03")
    done = send(bond.text)
    assert (done.summary["ack"], done.summary["nma"], done.summary["cls"]) == (7, 3, 0)
    for nma in done.of("NMA"):
        assert (nma["stage"], nma["account"]) == ("LEG", "SAFE-0002")
        condition, = nma["conditions"]
        assert (condition["code"], condition["element"]) == ("DDAT", "SettlementDate")
        assert [(v["value"], v["sender"], v["reference"]) for v in condition["values"]] == [
            ("2026-12-02", "BROKGB2L", "BRK/P/0004711-2"),
            ("2026-12-02", "INVMGB2L", "INV/A/0004711-2"),
            ("2026-12-03", "CUSBGB2L", "CUSB-S-10377")]
    assert {n["to"] for n in done.of("NMA")} == {"BROKGB2L", "INVMGB2L", "CUSBGB2L"}

    late = bond.one("CUSB-S-10377").replace("2026-12-03", "2026-12-02").replace(
        "CUSB-S-10377", "CUSB-S-10378")
    done = send(late)
    assert done.summary == {"submitted": 1, "ack": 0, "rej": 1, "exc": 0, "dupl": 0, "nma": 0,
                            "mac": 0, "cls": 0}
    rej, = done.of("REJ")
    assert (rej["code"], rej["to"], rej["reference"]) == ("PODU", "CUSBGB2L", "CUSB-S-10378")
    assert "CUSB-S-10377" in rej["text"]


def test_bond_with_a_wrong_trade_date(lab, send):
    bond = Bond()
    bond.edit("CUSB-S-10377", "2026-11-30", "2026-11-27")
    done = send(bond.text)
    assert (done.summary["ack"], done.summary["cls"]) == (7, 0)
    told = done.of("NMA")
    assert told
    for nma in told:
        assert nma["stage"] == "KEY"
        condition, = nma["conditions"]
        assert (condition["code"], condition["element"]) == ("DTRD", "TradeDate")
        assert sorted(v["value"] for v in condition["values"]) == ["2026-11-27", "2026-11-30"]
    assert {"BROKGB2L", "INVMGB2L", "CUSBGB2L"} <= {n["to"] for n in told}
    rows = lab.query_all("SELECT trade_date, message_count, cls_version FROM trade "
                         "WHERE trade_reference = %s ORDER BY trade_date", (bond.reference,))
    assert [(str(r["trade_date"]), r["message_count"], r["cls_version"]) for r in rows] == [
        ("2026-11-27", 1, 0), ("2026-11-30", 6, 0)]
    assert len({r["shard"] for r in rows}) == 1


def test_repetition_is_a_duplicate(send):
    bond = Bond()
    send(bond.text)
    done = send(bond.text)
    assert (done.summary["ack"], done.summary["dupl"], done.summary["cls"]) == (0, 7, 0)


def prefixed(text):
    text = re.sub(r"<(/?)([A-Z])", r"<\1q:\2", text)
    return text.replace("xmlns=", "xmlns:q=")


WAYS = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "bom": lambda text: "\ufeff" + text,
    "bom_and_crlf": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "prefix": prefixed,
    "no_namespace": lambda text: text.replace(' xmlns="%s"' % messages.NAMESPACE, ""),
    "no_declaration": lambda text: text.partition("?>")[2].lstrip("\n"),
    "one_line": lambda text: re.sub(r">\s+<", "><", text),
    "chinese": lambda text: text.replace("Clean price, interest apart",
                                         "净价交易，利息另计：每个账户 3,500.00 英镑 𠮷"),
    "cdata": lambda text: re.sub(r"<Reference>(.*?)<", r"<Reference><![CDATA[\1]]><", text),
    "instructions": lambda text: text.replace("<TradeMessage ", "<?page 7?><TradeMessage "),
}


@pytest.mark.parametrize("way", WAYS)
def test_file_as_it_comes(lab, send, way):
    bond = Bond()
    text = WAYS[way](bond.text)
    assert text != bond.text
    done = send(text)
    assert (done.summary["ack"], done.summary["cls"]) == (7, 1), done.replies
    shard = messages.shard_of(bond.reference, lab.shard_count())
    kept = lab.query(shard, "SELECT encoding, body FROM message WHERE delivery_id = %s ORDER BY "
                     "delivery_index", (done.of("ACK")[0]["delivery"],))
    assert len(kept) == 7
    for row in kept:
        if row["encoding"] == 0:  # the bytes as sent, nothing added, nothing lost
            assert row["body"] in text.encode()


def test_cut_into_batches(send):
    done = send(Bond().text, batch=3)
    assert (done.summary["ack"], done.summary["cls"]) == (7, 1)
    assert len({r["delivery"] for r in done.of("ACK")}) == 3


def test_one_message(send):
    bond = Bond()
    done = send(bond.one("BRK/N/0004711"))
    assert done.summary["submitted"] == done.summary["ack"] == 1
    ack, = done.of("ACK")
    assert (ack["to"], ack["reference"], ack["trade_reference"]) == (
        "BROKGB2L", "BRK/N/0004711", bond.reference)


def test_several_files_and_standard_input(lab, tmp_path):
    bonds = [Bond() for _ in range(3)]
    for i, bond in enumerate(bonds[:2]):
        (tmp_path / ("%d.xml" % i)).write_text(bond.text, encoding="utf-8")
    command = [lab.program("ste-submit"), "--config", lab.config, "--wait", "30", "--json",
               str(tmp_path / "0.xml"), "-", str(tmp_path / "1.xml")]
    done = Submitted(subprocess.run(command, input=bonds[2].text, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=60, check=False))
    assert done.status == 0, done.stderr
    assert (done.summary["ack"], done.summary["cls"]) == (21, 3)


def test_twenty_thousand_messages_in_one_file(lab, tmp_path):
    path = str(tmp_path / "many.xml")
    lab.bench("gen", "--trades", "2858", "--xml", path, "--seed", str(next(numbers)))
    assert os.path.getsize(path) > 7 * len(open(BOND, "rb").read())
    begin = time.monotonic()
    done = lab.submit(path, wait=90)
    print("%.1f s" % (time.monotonic() - begin))
    assert done.status == 0, (done.stderr, done.summary)
    assert done.summary["submitted"] == done.summary["ack"] == 20006
    assert (done.summary["rej"], done.summary["exc"], done.summary["cls"]) == (0, 0, 2858)
    assert [a for a in done.of("ACK") if a["reasons"]] == [], "generated trades earn warnings"


def test_generated_trades_are_what_they_should_be(lab, tmp_path):
    """70,000 messages of 1,500 ± 10 bytes, all currencies and countries, valid ISINs, 100 parties."""
    folder = str(tmp_path / "set")
    lab.bench("gen", "--trades", "10000", "--out", folder, "--seed", str(next(numbers)))
    bodies = read_set(folder)
    assert len(bodies) == 70000
    assert 1490 <= min(map(len, bodies)) and max(map(len, bodies)) <= 1510
    text = b"\n".join(bodies).decode()
    assert set(re.findall(r'currency="(.*?)"', text)) == codes(lab, "currencies")
    assert set(re.findall(r"<Country>(.*?)<", text)) == codes(lab, "countries")
    assert len(set(re.findall(r"<(?:Sender|Broker|Manager)>(.*?)<", text))) == 100
    instruments = set(re.findall(r"<Instrument>(.*?)<", text))
    assert len(instruments) > 1000 and all(isin.is_valid(i) for i in instruments)


def codes(lab, table):
    return {line.partition(",")[0] for line in lab.read("reference", table + ".csv").splitlines()[1:]
            if not line.startswith("#")}


def test_memory_of_ste_submit_does_not_grow_with_the_file(lab, tmp_path):
    """Sent without waiting, so that only what is on its way is held."""
    path = str(tmp_path / "many.xml")
    lab.bench("gen", "--trades", "2858", "--xml", path, "--seed", str(next(numbers)))
    peak = peak_bytes([lab.program("ste-submit"), "--config", lab.config, path])
    assert peak < 64 << 20 and os.path.getsize(path) > 28 << 20


def peak_bytes(command):
    """Of a child of a child: getrusage of the only one there."""
    code = ("import resource, subprocess, sys\n"
            "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
            "sys.exit(done.returncode)")
    done = subprocess.run(["/usr/bin/python3", "-c", code, *command], stdout=subprocess.PIPE,
                          text=True, timeout=120, check=True)
    return int(done.stdout) * 1024


def test_check_explains_without_a_broker(lab, tmp_path):
    bond = Bond()
    bond.edit("CUSB-S-10377", "2026-12-02", "2026-02-30")
    line = bond.text[:bond.text.index("2026-02-30")].count("\n") + 1
    (tmp_path / "bond.xml").write_text(bond.text, encoding="utf-8")
    done = lab.tool("ste-submit", "--check", "--config", lab.config, str(tmp_path / "bond.xml"), check=False)
    assert done.returncode == 1
    found, = [l for l in done.stdout.splitlines() if "DDAT" in l]
    assert ":%d:" % line in found
