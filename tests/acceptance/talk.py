# SPDX-License-Identifier: Apache-2.0
"""What is said to the engine and what it answers, as ste-submit prints it."""
import json
import os
import subprocess

from lab import TOP
from market import Message, batch, single

BIN = os.path.join(TOP, "build", os.environ.get("STE_PRESET", "dev"), "bin")

COUNTS = ("submitted", "ack", "rej", "exc", "dupl", "nma", "mac", "cls")


class Answers:
    """The lines of one ste-submit run."""

    def __init__(self, status, output, errors, messages):
        self.status, self.errors, self.messages = status, errors, messages
        lines = [json.loads(line) for line in output.splitlines()]
        self.summary = lines[-1]["summary"] if lines and "summary" in lines[-1] else None
        self.lines = [line for line in lines if "summary" not in line]

    def of(self, kind, trade=None):
        reference = getattr(trade, "reference", trade)
        return [line for line in self.lines if line["kind"] == kind
                and reference in (None, line["trade_reference"])]

    def answer(self, index):
        """The one ACK, REJ or EXC of a message: its object, or its number in the delivery."""
        if isinstance(index, Message):
            index = next(i for i, m in enumerate(self.messages) if m is index)
        found = [line for line in self.lines if line["kind"] in ("ACK", "REJ", "EXC")
                 and line["index"] == index]
        assert len(found) == 1, (index, found, self.lines)
        return found[0]

    def codes(self, index):
        """(kind, sorted codes of its reasons, or its own code)."""
        line = self.answer(index)
        return line["kind"], sorted(r["code"] for r in line["reasons"])

    def nmas(self, trade):
        """Each NMA as (stage, account, receiver, its references)."""
        return sorted((n["stage"], n["account"] or "", n["to"], tuple(n["references"]))
                      for n in self.of("NMA", trade))

    def conditions(self, trade, stage, account=None):
        """What the NMAs of a stage say, the same for every receiver: {(code, element): values}."""
        found = [{(c["code"], c["element"]): [(v["value"], v["sender"], v["reference"])
                                              for v in c["values"]] for c in n["conditions"]}
                 for n in self.of("NMA", trade)
                 if n["stage"] == stage and account in (None, n["account"])]
        assert found and all(f == found[0] for f in found), found
        return found[0]

    def cleared(self, trade):
        return len(self.of("CLS", trade))


class Talk:
    def __init__(self, lab, folder):
        self.lab, self.folder = lab, folder
        self.written = 0

    def write(self, text):
        self.written += 1
        path = os.path.join(self.folder, "file-%d.xml" % self.written)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def run(self, *words, timeout=60):
        done = subprocess.run([os.path.join(BIN, "ste-submit"), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def file(self, text, *options, wait="20", messages=(), status=0):
        """Sends one file, waits for its answers, and checks that they are all there."""
        result = self.run("--config", self.lab.config, "--wait", wait, "--json", *options,
                          self.write(text))
        answers = Answers(*result, messages)
        assert answers.status == status, (answers.status, answers.errors, answers.lines[-9:])
        return answers

    def files(self, bodies, *options, wait="20"):
        """Sends each body as a file of its own, which is a delivery: Answers for each, in order."""
        paths = [self.write(body) for body in bodies]
        status, output, errors = self.run("--config", self.lab.config, "--wait", wait, "--json",
                                          *options, *paths)
        whole = Answers(status, output, errors, ())
        assert whole.status == 0, (status, errors, whole.lines[-9:])
        result = [Answers(0, "", "", ()) for _ in bodies]
        for line in whole.lines:
            if line["kind"] in ("ACK", "REJ", "EXC"):
                result[int(line["delivery"].rpartition(".")[2])].lines.append(line)
        return result

    def send(self, *messages, **options):
        """Sends messages as one delivery: index is their number here."""
        messages = [m for group in messages
                    for m in (group if isinstance(group, list) else [group])]
        assert len(messages) <= 1000
        return self.file(batch(messages), messages=messages, **options)

    def hear(self, *messages, **options):
        """The same; messages of a spare trade make ste-submit listen to all the parties."""
        spare = single()
        return self.send(*messages, [spare.noe(), spare.alb(Quantity="1"), spare.set()], **options)
