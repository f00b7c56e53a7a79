# SPDX-License-Identifier: Apache-2.0
"""What travels over the broker, as a stranger would write and read it: signed deliveries in, replies
out, and sets of messages for ste-bench."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import struct
import time
import xml.etree.ElementTree as ElementTree

import pika

HUB = "STEHSGSG/hub"
NAMESPACE = "{urn:ste:trade:1}"


def hub_signature(lab, body, key=HUB):
    secret = base64.b64decode(lab.read("keys", *key.split("/")).strip())
    return base64.b64encode(hmac.new(secret, b"ste1\n" + body, hashlib.sha256).digest()).decode()


class Sender:
    """Publishes single deliveries and waits for each one's confirm. Every header can be wrong."""

    def __init__(self, lab, channel):
        self.lab = lab
        self.channel = channel
        self.channel.confirm_delivery()
        self.sent = 0

    def send(self, body, message_id=None, key=HUB, signature=None, user_id=None):
        """Returns the message-id. key None: no header; signature "": no header."""
        if isinstance(body, str):
            body = body.encode()
        self.sent += 1
        message_id = message_id or "py.%d.%d" % (time.monotonic_ns(), self.sent)
        headers = {"n": 1}
        if key:
            headers["ste-key-id"] = key
        if signature is None:
            signature = hub_signature(self.lab, body)
        if signature:
            headers["ste-signature"] = signature
        self.channel.basic_publish(
            "ste.in", "in", body, mandatory=True,
            properties=pika.BasicProperties(message_id=message_id, headers=headers, delivery_mode=2,
                                            user_id=user_id))
        return message_id


@contextlib.contextmanager
def sender(lab):
    with lab.channel("submitter") as channel:
        yield Sender(lab, channel)


class Reply:
    """A TradeReply or ClearingSettlement as read from its bytes."""

    def __init__(self, element, queue, message_id):
        get = element.attrib.get
        self.queue = queue
        self.message_id = message_id
        self.kind = "CLS" if tag(element) == "ClearingSettlement" else get("kind")
        self.stage, self.account, self.code = get("stage"), get("account"), get("code")
        self.delivery = get("delivery")
        self.index = None if get("index") is None else int(get("index"))
        self.then = (get("then") or "").split()
        self.action, self.version = get("action"), get("version")
        self.element = element
        self.to = self.text("To")
        self.trade_reference, self.trade_key = self.text("TradeReference"), self.text("TradeKey")
        self.references = [r.text for r in self.all("Reference")]
        self.reasons = [reason_of(r) for r in self.all("Reason")]

    def all(self, name, within=None):
        return [e for e in (self.element if within is None else within) if tag(e) == name]

    def text(self, name, within=None):
        found = self.all(name, within)
        return found[0].text if found else None

    def said(self):
        """What a case may compare, by its names."""
        out = {"version": self.version, "action": self.action}
        for name, key in AGREED.items():
            out[key] = self.text(name)
        out.update(attributes_of(self.all("Quantity"), unit="quantity_unit"))
        out.update(attributes_of(self.all("Price"), type="price_type", currency="price_currency"))
        out["references"] = self.references
        out["legs"] = [self.leg(e) for e in self.all("Leg")]
        return out

    def leg(self, element):
        out = {"account": element.attrib.get("account")}
        for name, key in LEG.items():
            out[key] = self.text(name, element)
        out.update(attributes_of(self.all("Quantity", element), unit="quantity_unit"))
        out.update(attributes_of(self.all("SettlementAmount", element), currency="currency"))
        out["references"] = [r.text for r in self.all("Reference", element)]
        return out

    def __repr__(self):
        return "%s to %s%s %s %s %s" % (
            self.kind, self.to or self.queue, "".join(" " + x for x in (self.stage, self.account) if x),
            self.trade_reference, self.code or "", self.reasons or self.said())


AGREED = {"TradeReference": "trade_reference", "TradeDate": "trade_date",
          "SettlementDate": "settlement_date", "Direction": "direction", "Payment": "payment",
          "Instrument": "instrument", "Quantity": "quantity", "Price": "price", "Broker": "broker",
          "Manager": "manager", "PlaceOfSettlement": "place_of_settlement"}
LEG = {"Quantity": "quantity", "SettlementAmount": "settlement_amount", "Commission": "commission",
       "AccruedInterest": "accrued_interest", "DeliveringAgent": "delivering_agent",
       "ReceivingAgent": "receiving_agent"}


def tag(element):
    return element.tag.replace(NAMESPACE, "")


def attributes_of(found, **names):
    return {key: found[0].attrib.get(name) if found else None for name, key in names.items()}


def reason_of(element):
    out = {key: element.attrib.get(key) for key in ("code", "element", "account", "level", "place")}
    out["text"] = (element.text or "").strip()
    out["values"] = [[v.text, v.attrib.get("sender"), v.attrib.get("reference")] for v in element]
    return out


def replies_in(body, queue, message_id):
    root = ElementTree.fromstring(body)
    return [Reply(e, queue, message_id) for e in (root if tag(root) == "TradeReplies" else [root])]


class Tap:
    """Queues of our own beside the real ones: each receiver's replies, the CLS, the EXC copies."""

    def __init__(self, channel, keys):
        self.channel = channel
        self.queues = {}
        self.replies, self.bodies = [], {}
        self.repeats = 0
        for key in keys:
            name = channel.queue_declare("", exclusive=True).method.queue
            channel.queue_bind(name, "ste.out", key)
            self.queues[name] = key
            channel.basic_consume(name, self.take, auto_ack=True)
        self.by_tag = dict(zip(channel.consumer_tags, self.queues.values()))

    def take(self, _channel, method, properties, body):
        """What is sent again has the same message-id, and must be the same."""
        key = self.by_tag[method.consumer_tag]
        first = self.bodies.setdefault((key, properties.message_id), body)
        if first is body:
            self.replies += replies_in(body, key, properties.message_id)
            return
        assert first == body, "%s again with other content" % properties.message_id
        self.repeats += 1

    def pump(self, seconds=0.05):
        self.channel.connection.process_data_events(time_limit=seconds)

    def wait(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("not within %s s: %s" % (seconds, what))
            self.pump()

    def drain(self):
        """Everything that is in our queues by now."""
        while any(self.channel.queue_declare(q, passive=True).method.message_count
                  for q in self.queues):
            self.pump()
        self.pump(0)

    def of(self, kind, trade_reference=None):
        return [r for r in self.replies
                if r.kind == kind and trade_reference in (None, r.trade_reference)]


@contextlib.contextmanager
def tap(lab, keys):
    with lab.channel() as channel:
        yield Tap(channel, keys)


def write_set(folder, messages, trades):
    """A set as bench/set.h describes it; messages are (text, trade_key, sender, reference, trade)."""
    os.makedirs(folder, exist_ok=True)
    total = 0
    with open(os.path.join(folder, "set.ste"), "wb") as bodies, \
            open(os.path.join(folder, "set.idx"), "wb") as index:
        index.write(bytes(128))
        for text, key, who, reference, number in messages:
            body = text.encode() if isinstance(text, str) else text
            total += len(body)
            bodies.write(struct.pack("<I", len(body)) + body)
            index.write(struct.pack("<16s8s8s35sBIB3x", key, hashlib.sha256(body).digest()[:8],
                                    who.encode()[:8], reference.encode(), len(reference), number, 0))
        index.seek(0)
        index.write(struct.pack("<8sIiQQQQQQQQQQQQQQ", b"STESET\0\0", 2, 0, 0, trades, len(messages), total, 0, 0,
                                trades, len(messages), 0, 0, 0, 0, 0, 0))
    with open(os.path.join(folder, "set.json"), "w", encoding="ascii") as file:
        json.dump({"trades": trades, "messages": len(messages), "cls": trades}, file)


def read_set(folder):
    """The messages of a set, in sending order."""
    with open(os.path.join(folder, "set.ste"), "rb") as file:
        data = file.read()
    at, out = 0, []
    while at < len(data):
        length = struct.unpack_from("<I", data, at)[0]
        out.append(data[at + 4:at + 4 + length])
        at += 4 + length
    return out
