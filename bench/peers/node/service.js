#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A matching service as a team would write it first: one process is one consumer, one message is one
// transaction, up to PREFETCH of them under way at once over a pool of connections.
// ../README.md says what it leaves out.
//
// usage: service.js CONFIG   (JSON: broker, database, queues, keys, reference data)
//
// Says "ready" once connected and begins at the first line of its input; ends at SIGTERM with one JSON
// line of what it did.
'use strict';
const fs = require('node:fs');
const amqp = require('amqplib');
const mysql = require('mysql2/promise');
const rules = require('./rules');

const PREFETCH = 50;
const DATABASE_CONNECTIONS = 10;
const ATTEMPTS = 10;
const MESSAGES_MIN = 4; // of a trade: NOE, and ALB, NPR, SET of one account

const config = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const did = { messages: 0, again: 0, first: null, last: null };
const now = () => Number(process.hrtime.bigint()) / 1e9;

/** Finds or makes the trade's row, which is locked from here on. */
async function lockTrade(database, message) {
  const [result] = await database.execute(
    'INSERT INTO trade (trade_reference, broker, manager, trade_date) VALUES (?, ?, ?, ?)'
    + ' ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id)',
    [message.TradeReference, message.Broker.slice(0, 8), message.Manager.slice(0, 8),
      message.TradeDate]);
  return result.insertId;
}

/** False when the place is taken: by this message, delivered before, or by another. */
async function store(database, trade, message, deliveryId, body) {
  try {
    await database.execute(
      'INSERT INTO message (trade_id, type, account, sender, reference, delivery_id, fields, body)'
      + ' VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [trade, message.type, message.Account ?? '', message.Sender.slice(0, 8), message.Reference,
        deliveryId, JSON.stringify(message), body]);
  } catch (error) {
    if (error.code === 'ER_DUP_ENTRY') return false;
    throw error;
  }
  return true;
}

function publish(channel, messages) {
  return new Promise((resolve, reject) => {
    channel.publish('', config.cls_queue, rules.clearingMessage(messages),
      { messageId: `${messages[0].TradeReference}.1`, persistent: true, mandatory: true },
      (error) => (error ? reject(error) : resolve()));
  });
}

async function judge(database, publisher, trade, messages) {
  const found = rules.differences(config, messages);
  const [result] = await database.execute(
    "UPDATE trade SET status = ?, differences = ? WHERE id = ? AND status = 'open'",
    [found.length > 0 ? 'unmatched' : 'cleared', found.join(' ').slice(0, 1000), trade]);
  if (result.affectedRows === 1 && found.length === 0) await publish(publisher, messages);
}

async function handle(database, publisher, delivery) {
  const { messageId, headers } = delivery.properties;
  let message;
  try {
    const signer = rules.verifiedParticipant(config, headers ?? {}, delivery.content);
    message = rules.parse(delivery.content);
    rules.check(config, message, signer);
  } catch (error) {
    if (!(error instanceof rules.Refused)) throw error;
    await database.execute('INSERT INTO refused (delivery_id, reasons, body) VALUES (?, ?, ?)',
      [messageId, error.message, delivery.content]);
    return;
  }
  const trade = await lockTrade(database, message);
  if (!await store(database, trade, message, messageId, delivery.content)) return;
  const [rows] = await database.execute('SELECT fields FROM message WHERE trade_id = ?', [trade]);
  if (rows.length < MESSAGES_MIN) return;
  const messages = rows.map((row) => JSON.parse(row.fields));
  if (rules.isComplete(messages)) await judge(database, publisher, trade, messages);
}

/** Once more after a deadlock; any other failure ends the process, and the broker redelivers. */
async function inTransaction(pool, publisher, delivery) {
  const database = await pool.getConnection();
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await database.beginTransaction();
        await handle(database, publisher, delivery);
        await database.commit();
        return;
      } catch (error) {
        await database.rollback();
        const again = error.code === 'ER_LOCK_DEADLOCK' || error.code === 'ER_LOCK_WAIT_TIMEOUT';
        if (!again || attempt === ATTEMPTS) throw error;
        did.again++;
      }
    }
  } finally {
    database.release();
  }
}

async function connectDatabase() {
  const pool = mysql.createPool({ ...config.database, connectionLimit: DATABASE_CONNECTIONS });
  pool.pool.on('connection', (connection) =>
    connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'));
  await pool.query('SELECT 1');
  return pool;
}

async function main() {
  const pool = await connectDatabase();
  const { host, port, user, password } = config.broker;
  const broker = await amqp.connect({ hostname: host, port, username: user, password, heartbeat: 60 });
  const publisher = await broker.createConfirmChannel();
  const consumer = await broker.createChannel();
  publisher.on('return', () => fail(new Error(`nobody takes ${config.cls_queue}`)));
  await consumer.prefetch(PREFETCH);
  console.log('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const cpu = process.cpuUsage();
  const { consumerTag } = await consumer.consume(config.queue, async (delivery) => {
    if (!delivery) return fail(new Error(`${config.queue} is gone`));
    did.first ??= now();
    try {
      await inTransaction(pool, publisher, delivery);
    } catch (error) {
      return fail(error);
    }
    did.last = now();
    did.messages++;
    consumer.ack(delivery);
    return undefined;
  });
  await new Promise((resolve) => process.once('SIGTERM', resolve));
  const { user: userUs, system: systemUs } = process.cpuUsage(cpu);
  did.cpu_s = (userUs + systemUs) / 1e6;
  await consumer.cancel(consumerTag);
  await broker.close();
  await pool.end();
  process.stdin.destroy();
  console.log(JSON.stringify(did));
}

function fail(error) {
  console.error(error);
  process.exit(1);
}

main().catch(fail);
