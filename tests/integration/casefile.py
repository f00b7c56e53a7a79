# SPDX-License-Identifier: Apache-2.0
"""The cases of tests/cases as deliveries, and what should come out; tests/cases/README.md explains
the files. The C harness runs the same files in memory."""
import glob
import os

import messages


class Delivery:
    """One body of a case. `wanted` is the list of answers by index."""

    def __init__(self, step, body, wanted, message_id=None):
        self.step = step
        self.body = body
        self.wanted = wanted
        self.message_id = message_id  # given by the case, else by who sends it


class Case:
    def __init__(self, file, number, one, given, trade_reference):
        self.name = one["name"]
        self.label = "%s-%d" % (os.path.basename(file)[:-len(".yaml")], number)
        self.trade_reference = trade_reference
        own = one.get("given") or {}
        self.template = own.get("template") or given.get("template")
        self.layers = [given.get("with"), own.get("with")]
        self.then = one.get("then") or {}
        self.rounds = []  # lists of deliveries that may be on their way together
        for step in one["when"]:
            self.rounds += self.rounds_of(step)

    def deliveries(self):
        return [d for one_round in self.rounds for d in one_round]

    def text(self, value):
        return messages.raw(value, self.trade_reference)

    def message(self, name, step, number=1, namespace=True):
        template = messages.templates()[self.template]
        return messages.render(
            [template["common"], template["messages"][name], *self.layers, step.get("with")],
            self.trade_reference, number, step.get("edit") or (), namespace)

    def rounds_of(self, step):
        if "body" in step:
            return [[self.delivery(step, self.text(step["body"]), 1)]]
        if "batch" in step:
            texts = [self.message(one["send"], one, number, namespace=False)
                     for one in step["batch"] for number in times(one)]
            return [[self.delivery(step, messages.batch(texts), len(texts))]]
        names = step["send"]
        if names == "all":
            names = [n for n in messages.templates()[self.template]["messages"]
                     if n not in (step.get("except") or ())]
        elif isinstance(names, str):
            names = [names]
        return [[self.delivery(step, self.message(name, step, number), 1) for number in times(step)]
                for name in names]

    def delivery(self, step, body, count):
        wanted = step.get("answers") or [step.get("answer") or "ACK"] * count
        message_id = step.get("as")
        return Delivery(step, body, [answer(w) for w in wanted],
                        message_id and "%s/%s" % (self.trade_reference, message_id))


def times(step):
    return range(1, int(step.get("times") or 1) + 1)


def answer(wanted):
    """A word or a map as a map."""
    if isinstance(wanted, str):
        kind, _, code = wanted.partition(" ")
        return {"kind": kind, **({"only": code} if code else {})}
    return {"kind": "ACK", **wanted}


def load(run):
    """All cases; `run` makes their trade references this run's own."""
    cases = []
    for file in sorted(glob.glob(os.path.join(messages.CASES, "*.yaml"))):
        tree = messages.load(file)
        for number, one in enumerate(tree.get("cases") or (), 1):
            cases.append(Case(file, number, one, tree.get("given") or {},
                              "CASE%s%04d" % (run, len(cases))))
    return cases


# ---- comparing: every function returns what is wrong, as texts ----

def answer_faults(case, delivery, index, wanted, said):
    """`said`: all answers to this message."""
    if len(said) != (0 if wanted["kind"] == "none" else 1):
        return ["answered %d times: %r" % (len(said), said)]
    if not said:
        return []
    said = said[0]
    dupl = wanted["kind"] == "DUPL"
    if said.kind != ("ACK" if dupl else wanted["kind"]) or (said.code == "DUPL") != dupl:
        return ["the answer is %r, wanted %r" % (said, wanted)]
    faults = []
    to = wanted.get("to") or ("STEHSGSG" if said.kind == "EXC" and not signer(delivery) else None)
    if to and (said.to != to or said.queue != "reply." + to):
        faults.append("told to %s by %s, not to %s" % (said.to, said.queue, to))
    if "then" in wanted and said.then != list(wanted["then"]):
        faults.append("then is %r, not %r" % (said.then, wanted["then"]))
    return faults + reason_faults(delivery, index, wanted, said)


def signer(delivery):
    return delivery.step.get("signed_by") or delivery.step.get("key")


def reason_faults(delivery, index, wanted, said):
    listed = wanted.get("reasons")
    if listed is None and ("only" in wanted or "code" in wanted):
        listed = [{"code": wanted["only"]}] if "only" in wanted else [wanted]
    faults = []
    if listed is not None and len(listed) != len(said.reasons):
        faults.append("%d reasons, wanted %d" % (len(said.reasons), len(listed)))
    pairs = list(zip(listed or (), said.reasons))
    if "first" in wanted:
        pairs.append((wanted["first"], (said.reasons + [{}])[0]))
    for want, got in pairs:
        for key in ("code", "element", "level", "place", "text"):
            if key in want and got.get(key) != want[key]:
                faults.append("%s is %r, not %r" % (key, got.get(key), want[key]))
        if "at" in want and got.get("place") != messages.place(delivery.body, index, want["at"]):
            faults.append("place is %r, not that of %s" % (got.get("place"), want["at"]))
    return [f + ": %r" % said for f in faults]


def nma_fits(case, wanted, to, said):
    conditions, references = wanted.get("conditions"), wanted.get("references")
    if said.to != to or said.queue != "reply." + to or \
            said.stage != wanted.get("stage", said.stage) or said.account != wanted.get("account"):
        return False
    if references and to in references and \
            [case.text(r) for r in references[to]] != said.references:
        return False
    if conditions is None:
        return True
    return len(conditions) == len(said.reasons) and all(
        condition_fits(case, want, got, said) for want, got in zip(conditions, said.reasons))


def condition_fits(case, wanted, got, said):
    values = wanted.get("values")
    return all(got[key] == wanted[key] for key in ("code", "element", "text") if key in wanted) and \
        got["level"] == "differs" and got["account"] == said.account and \
        values in (None, got["values"]) or \
        values is not None and [[case.text(x) for x in v] for v in values] == got["values"]


def nma_faults(case, said):
    left, faults = list(said), []
    for wanted in case.then.get("nma") or ():
        for to in wanted["to"]:
            fitting = next((s for s in left if nma_fits(case, wanted, to, s)), None)
            if fitting is None:
                faults.append("this NMA was not said to %s: %r" % (to, wanted))
            else:
                left.remove(fitting)
    return faults + ["an NMA that is not wanted: %r" % s for s in left]


def cls_faults(case, said):
    wanted = case.then.get("cls", "none")
    if len(said) != (0 if wanted == "none" else 1):
        return ["there are %d CLS: %r" % (len(said), said)]
    return agreed_faults(case, wanted, said[0].said()) if isinstance(wanted, dict) else []


def agreed_faults(case, wanted, said):
    faults = []
    for key, value in wanted.items():
        if key == "legs":
            if len(value) != len(said["legs"]):
                faults.append("%d legs" % len(said["legs"]))
            for leg, got in zip(value, said["legs"]):
                faults += agreed_faults(case, leg, got)
        elif key == "references":
            if [case.text(r) for r in value] != said[key]:
                faults.append("references are %r" % said[key])
        elif case.text(value) != (said[key] or ""):
            faults.append("%s is %r, not %r" % (key, said[key], value))
    return faults


def receiver_faults(case, kind, said):
    if "mac" not in case.then:
        return []
    told = sorted(s.queue for s in said)
    wanted = sorted("reply." + bic for bic in case.then["mac"])
    return [] if told == wanted else ["%s went to %r, not to %r" % (kind, told, wanted)]
