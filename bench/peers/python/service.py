#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A matching service as a team would write it first: one process is one consumer, one message is one
transaction. ../README.md says what it leaves out.

usage: service.py CONFIG   (JSON: broker, database, queues, keys, reference data)

Says "ready" once connected and begins at the first line of its input; ends at SIGTERM with one JSON
line of what it did.
"""
import json
import signal
import sys
import time

import pika
import pymysql

import rules

PREFETCH = 50
ATTEMPTS = 10
DEADLOCK, LOCK_WAIT = 1213, 1205
MESSAGES_MIN = 4  # of a trade: NOE, and ALB, NPR, SET of one account


class Service:
    def __init__(self, config):
        self.config = config
        broker = config["broker"]
        self.database = pymysql.connect(
            **config["database"], charset="utf8mb4", autocommit=False,
            init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        self.connection = pika.BlockingConnection(pika.ConnectionParameters(
            host=broker["host"], port=broker["port"], heartbeat=60,
            credentials=pika.PlainCredentials(broker["user"], broker["password"])))
        self.publisher, self.consumer = self.connection.channel(), self.connection.channel()
        self.publisher.confirm_delivery()
        self.consumer.basic_qos(prefetch_count=PREFETCH)
        self.stopping = False
        self.did = {"messages": 0, "again": 0, "first": None, "last": None}

    def stop(self, *_):
        self.stopping = True

    def run(self):
        cpu = time.process_time()
        for method, properties, body in self.consumer.consume(self.config["queue"],
                                                              inactivity_timeout=0.2):
            if self.stopping:
                break
            if method is None:
                continue
            self.did["first"] = self.did["first"] or time.monotonic()
            self.in_transaction(properties, body)
            self.did["last"] = time.monotonic()
            self.did["messages"] += 1
            self.consumer.basic_ack(method.delivery_tag)
        self.did["cpu_s"] = time.process_time() - cpu
        self.connection.close()
        self.database.close()

    def in_transaction(self, properties, body):
        """Once more after a deadlock; any other failure ends the process, and the broker redelivers."""
        for attempt in range(ATTEMPTS):
            try:
                with self.database.cursor() as cursor:
                    self.handle(cursor, properties, body)
                self.database.commit()
                return
            except pymysql.OperationalError as error:
                self.database.rollback()
                if error.args[0] not in (DEADLOCK, LOCK_WAIT) or attempt + 1 == ATTEMPTS:
                    raise
                self.did["again"] += 1

    def handle(self, cursor, properties, body):
        try:
            signer = rules.verified_participant(self.config, properties.headers or {}, body)
            message = rules.parse(body)
            rules.check(self.config, message, signer)
        except rules.Refused as refused:
            cursor.execute("INSERT INTO refused (delivery_id, reasons, body) VALUES (%s, %s, %s)",
                           (properties.message_id, str(refused), body))
            return
        trade = self.lock_trade(cursor, message)
        if not self.store(cursor, trade, message, properties.message_id, body):
            return
        cursor.execute("SELECT fields FROM message WHERE trade_id = %s", (trade,))
        rows = cursor.fetchall()
        if len(rows) < MESSAGES_MIN:
            return
        messages = [json.loads(fields) for (fields,) in rows]
        if rules.is_complete(messages):
            self.judge(cursor, trade, messages)

    def lock_trade(self, cursor, message):
        """Finds or makes the trade's row, which is locked from here on."""
        cursor.execute(
            "INSERT INTO trade (trade_reference, broker, manager, trade_date) VALUES (%s, %s, %s, %s)"
            " ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)",
            (message["TradeReference"], message["Broker"][:8], message["Manager"][:8],
             message["TradeDate"]))
        return cursor.lastrowid

    def store(self, cursor, trade, message, delivery_id, body):
        """False when the place is taken: by this message, delivered before, or by another."""
        try:
            cursor.execute(
                "INSERT INTO message (trade_id, type, account, sender, reference, delivery_id, fields,"
                " body) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                (trade, message["type"], message.get("Account", ""), message["Sender"][:8],
                 message["Reference"], delivery_id, json.dumps(message), body))
        except pymysql.IntegrityError:
            return False
        return True

    def judge(self, cursor, trade, messages):
        found = rules.differences(self.config, messages)
        changed = cursor.execute(
            "UPDATE trade SET status = %s, differences = %s WHERE id = %s AND status = 'open'",
            ("unmatched" if found else "cleared", " ".join(found)[:1000], trade))
        if changed and not found:
            self.publisher.basic_publish(
                "", self.config["cls_queue"], rules.clearing_message(messages), mandatory=True,
                properties=pika.BasicProperties(
                    message_id=messages[0]["TradeReference"] + ".1", delivery_mode=2))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        service = Service(json.load(file))
    signal.signal(signal.SIGTERM, service.stop)
    print("ready", flush=True)
    sys.stdin.readline()
    service.run()
    print(json.dumps(service.did), flush=True)


if __name__ == "__main__":
    main()
