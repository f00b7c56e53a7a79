# SPDX-License-Identifier: Apache-2.0
"""The broker as a participant with a program of his own sees it: signed deliveries, replies."""
import base64
import contextlib
import hashlib
import hmac
import itertools
import os
import subprocess
import tempfile
import time
from xml.etree import ElementTree

import pika

from market import NAMESPACE, START

HUB_KEY = "STEHSGSG/hub"
PARTIES = ("STEHSGSG", "BROKSGSG", "BROKGB2L", "INVMSGSG", "INVMGB2L", "CUSTSGSG", "CUSBSGSG",
           "CUSTGB2L", "CUSBGB2L")
numbers = itertools.count(1)


class Element:
    """A TradeReply or ClearingSettlement, read from its bytes."""

    def __init__(self, node, body, properties, key):
        self.node, self.body, self.key = node, body, key
        self.message_id = properties.message_id
        self.name = node.tag.replace("{%s}" % NAMESPACE, "")
        assert node.tag == "{%s}%s" % (NAMESPACE, self.name), node.tag
        self.get = node.attrib.get
        self.kind = "CLS" if self.name == "ClearingSettlement" else self.get("kind")

    def all(self, name):
        return [e for e in self.node if e.tag == "{%s}%s" % (NAMESPACE, name)]

    def text(self, name):
        found = self.all(name)
        assert len(found) <= 1, name
        return found[0].text if found else None

    def texts(self, name):
        return [e.text for e in self.all(name)]


def tree(node):
    """(name, attributes, text, children) of an element, for comparing."""
    return (node.tag.replace("{%s}" % NAMESPACE, ""), dict(node.attrib), (node.text or "").strip(),
            [tree(e) for e in node])


def elements(body, properties, key):
    root = ElementTree.fromstring(body)
    many = root.tag == "{%s}TradeReplies" % NAMESPACE
    return [Element(e, body, properties, key) for e in (root if many else [root])]


class Broker:
    """One connection of the hub: it publishes, and hears each party's replies through a queue."""

    def __init__(self, lab, channel):
        self.lab, self.channel = lab, channel
        channel.confirm_delivery()
        self.deliveries, self.heard, self.keys = [], [], {}
        for who in PARTIES:
            queue = "ste.reply.STEHSGSG.%s%d" % (START, next(numbers))
            channel.queue_declare(queue, exclusive=True)
            channel.queue_bind(queue, "ste.out", "reply." + who)
            self.keys[channel.basic_consume(queue, self.take, auto_ack=True)] = "reply." + who

    def take(self, _channel, method, properties, body):
        key = self.keys[method.consumer_tag]
        self.deliveries.append((key, properties, body))
        self.heard += elements(body, properties, key)

    def sign(self, key, body, prefix=b"ste1\n"):
        path = self.lab.path("keys", *key.split("/"))
        if key.endswith("/k1"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(prefix + body)
                file.flush()
                signature = subprocess.run(
                    ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", path, "-in", file.name],
                    stdout=subprocess.PIPE, check=True).stdout
        else:
            with open(path, encoding="ascii") as file:
                secret = base64.b64decode(file.read().strip())
            signature = hmac.new(secret, prefix + body, hashlib.sha256).digest()
        return base64.b64encode(signature).decode()

    def send(self, body, key=HUB_KEY, message_id="", user_id=None, **headers):
        """One delivery; headers `signature`, `key_id` take the place of the right ones, None: left
        out. Returns its message-id."""
        body = body.encode() if isinstance(body, str) else body
        if message_id == "":
            message_id = "acc.%s.%d.%d" % (START, os.getpid(), next(numbers))
        said = {"ste-key-id": headers.get("key_id", key),
                "ste-signature": headers["signature"] if "signature" in headers
                else self.sign(key, body)}
        self.channel.basic_publish(
            "ste.in", "any", body, mandatory=True, properties=pika.BasicProperties(
                message_id=message_id, user_id=user_id, delivery_mode=2,
                headers={k: v for k, v in said.items() if v is not None}))
        return message_id

    def pump(self, seconds=0.02):
        self.channel.connection.process_data_events(time_limit=seconds)

    def wait(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, (what, [(h.kind, h.key) for h in self.heard[-20:]])
            self.pump()

    def of(self, kind, trade=None, delivery=None):
        reference = getattr(trade, "reference", trade)
        return [h for h in self.heard if h.kind == kind
                and reference in (None, h.text("TradeReference"))
                and delivery in (None, h.get("delivery"))]

    def answers(self, delivery):
        return sorted((h for h in self.heard if h.get("delivery") == delivery
                       and h.kind in ("ACK", "REJ", "EXC")), key=lambda h: int(h.get("index")))

    def ask(self, body, count=1, **options):
        """Sends, waits for so many answers, and returns them by index."""
        delivery = self.send(body, **options)
        self.wait(lambda: len(self.answers(delivery)) >= count, "answers to %s" % delivery)
        return self.answers(delivery)


@contextlib.contextmanager
def broker(lab):
    with lab.channel("submitter") as channel:
        yield Broker(lab, channel)


def take(lab, role, queue, what, wanted):
    """Consumes a queue until everything wanted has come: [Element], by what(element)."""
    found, missing = [], set(wanted)
    with lab.channel(role) as channel:
        channel.basic_qos(prefetch_count=500)
        for method, properties, body in channel.consume(queue, inactivity_timeout=5):
            assert method is not None, missing
            channel.basic_ack(method.delivery_tag)
            found += [element for element in elements(body, properties, method.routing_key)
                      if what(element) in missing]
            if missing <= {what(element) for element in found}:
                channel.cancel()
                return found


def take_cls(lab, trades):
    """The CLS of these trades, read as clearing does."""
    return take(lab, "clearing", "ste.cls", lambda e: e.text("TradeReference"),
                [t.reference for t in trades])


def take_exceptions(lab, deliveries):
    """The copies of these deliveries' EXC, read as operators do."""
    return take(lab, "operator", "ste.exception", lambda e: e.get("delivery"), deliveries)
