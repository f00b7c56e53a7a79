// SPDX-License-Identifier: Apache-2.0
// What the plain service knows of trades: reading a message, checking it, comparing, clearing. Pure.
'use strict';
const crypto = require('node:crypto');
const { XMLParser, XMLBuilder, XMLValidator } = require('fast-xml-parser');

const COMMON = ['Reference', 'Sender', 'TradeReference', 'TradeDate', 'Broker', 'Manager',
  'SettlementDate', 'Direction', 'Payment', 'Instrument', 'Quantity', 'Quantity.unit'];
const LEG = [...COMMON, 'Account'];
const PRICE = ['Price', 'Price.type'];
const AGENTS = ['DeliveringAgent', 'ReceivingAgent', 'PlaceOfSettlement'];
const NEEDED = { NOE: [...COMMON, ...PRICE], ALB: [...LEG, ...PRICE], NPR: [...LEG, ...PRICE],
  SET: [...LEG, ...AGENTS] };
const MONEY = ['GrossAmount', 'Commission', 'SettlementAmount', 'AccruedInterest', 'OtherCharges'];
const BLOCK_EQUAL = ['Direction', 'Payment', 'Instrument', 'SettlementDate', 'Quantity.unit',
  'Price.type'];
const LEG_EQUAL = [...BLOCK_EQUAL, 'SettlementCurrency', 'SettlementAmount.currency',
  'Commission.currency', 'AccruedInterest.currency'];
const LEG_NUMBERS = ['Quantity', 'Price', 'Commission', 'AccruedInterest'];

/** The message itself is wrong: stored as such, never tried again. */
class Refused extends Error {}

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '.',
  parseTagValue: false, parseAttributeValue: false, removeNSPrefix: true });
const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '.' });

// ---- one message ----

function verifiedParticipant(config, headers, body) {
  const key = config.keys[headers['ste-key-id']];
  if (!key) throw new Refused('unknown key');
  const right = crypto.createHmac('sha256', Buffer.from(key.secret, 'base64'))
    .update('ste1\n').update(body).digest();
  const given = Buffer.from(String(headers['ste-signature'] ?? ''), 'base64');
  if (given.length !== right.length || !crypto.timingSafeEqual(given, right))
    throw new Refused('wrong signature');
  return key.participant;
}

/** Element texts by name, attributes as Element.attribute. */
function parse(body) {
  const text = body.toString('utf8');
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new Refused(`not well-formed: ${valid.err.msg}`);
  const root = parser.parse(text).TradeMessage;
  if (!root) throw new Refused('not a TradeMessage');
  const message = { type: root['.type'], function: root['.function'] };
  for (const [name, element] of Object.entries(root)) {
    if (name.startsWith('.') || name === '#text') continue;
    const one = Array.isArray(element) ? element[0] : element;
    if (typeof one === 'string') {
      if (one) message[name] = one;
    } else if (one['#text']) {
      message[name] = one['#text'];
      for (const attribute of Object.keys(one))
        if (attribute.startsWith('.')) message[name + attribute] = one[attribute].trim();
    }
  }
  return message;
}

function isDate(text) {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Exact, in units of 10^-18. */
function number(text) {
  const [, sign, whole, decimals = ''] = /^(-?)(\d{1,18})(?:\.(\d{1,18}))?$/.exec(text);
  return BigInt(sign + whole + decimals.padEnd(18, '0'));
}

function checkNumbers(config, message) {
  for (const name of [...MONEY, 'Quantity', 'Price'])
    if (name in message && !/^-?\d{1,18}(\.\d{1,18})?$/.test(message[name]))
      throw new Refused(`${name}: not a number`);
  for (const name of MONEY) {
    if (!(name in message)) continue;
    const decimals = config.currencies[message[`${name}.currency`]];
    if (decimals === undefined) throw new Refused(`${name}: unknown currency`);
    if ((message[name].split('.')[1] ?? '').length > decimals)
      throw new Refused(`${name}: too many decimals`);
  }
  if (number(message.Quantity) <= 0n) throw new Refused('quantity is not above 0');
}

const bic8 = (bic) => bic.slice(0, 8);

function checkParties(config, message, signer) {
  const [sender, broker, manager] = [message.Sender, message.Broker, message.Manager].map(bic8);
  const sendsFor = config.participants[signer].sends_for;
  if (sender !== signer && !sendsFor.includes(sender) && !sendsFor.includes('*'))
    throw new Refused(`${signer} may not send for ${sender}`);
  const unknown = [sender, broker, manager].filter((bic) => !(bic in config.participants));
  if (unknown.length > 0) throw new Refused(`unknown participant: ${unknown.join(' ')}`);
  const right = message.type === 'SET'
    ? sender === manager || config.participants[sender].roles.includes('custodian')
    : sender === (message.type === 'ALB' ? manager : broker);
  if (!right) throw new Refused("sender's role");
}

function check(config, message, signer) {
  if (!(message.type in NEEDED) || message.function !== 'NEWM')
    throw new Refused('type or function not handled');
  const missing = NEEDED[message.type].filter((name) => !(name in message));
  if (missing.length > 0) throw new Refused(`missing: ${missing.join(' ')}`);
  if (['Reference', 'TradeReference', 'Account'].some((n) => (message[n] ?? '').length > 35))
    throw new Refused('a reference is too long');
  checkParties(config, message, signer);
  if (!isDate(message.TradeDate) || !isDate(message.SettlementDate))
    throw new Refused('no date');
  if (message.SettlementDate < message.TradeDate)
    throw new Refused('settlement before trade date');
  if (message.Country && !config.countries.includes(message.Country))
    throw new Refused('unknown country');
  checkNumbers(config, message);
}

// ---- the messages of a trade ----

const byAccount = (messages, type) => new Map(messages.filter((m) => m.type === type)
  .map((m) => [m.Account ?? '', m]));
const quantityOf = (messages) => [...messages].reduce((sum, m) => sum + number(m.Quantity), 0n);
const sameKeys = (a, b) => a.size === b.size && [...a.keys()].every((key) => b.has(key));

/** The execution, allocations of its whole quantity, and all three messages of every account. */
function isComplete(messages) {
  const [noe, albs, nprs, sets] = ['NOE', 'ALB', 'NPR', 'SET'].map((t) => byAccount(messages, t));
  return noe.size > 0 && sameKeys(albs, nprs) && sameKeys(albs, sets)
    && quantityOf(albs.values()) >= quantityOf(noe.values());
}

/** EUR 2 up to 100,000 and EUR 25 above, at the rate of the currency; exact without a rate. */
function withinTolerance(config, messages) {
  const amounts = messages.filter((m) => m.SettlementAmount).map((m) => number(m.SettlementAmount));
  if (amounts.length === 0) return true;
  const rate = number(config.rates[messages.at(-1)['SettlementAmount.currency']] ?? '0');
  const least = amounts.reduce((a, b) => (a < b ? a : b));
  const most = amounts.reduce((a, b) => (a > b ? a : b));
  return most - least <= (least <= 100000n * rate ? 2n : 25n) * rate;
}

/** Names whose values, each in its form, are not all one; a message without the name has none. */
function differing(messages, forms) {
  return Object.entries(forms).filter(([name, form]) =>
    new Set(messages.filter((m) => name in m).map((m) => form(m[name]))).size > 1)
    .map(([name]) => name);
}

const formsOf = (names, form) => Object.fromEntries(names.map((name) => [name, form]));
const BLOCK_FORMS = { ...formsOf(BLOCK_EQUAL, String), Price: number };
const LEG_FORMS = { ...formsOf(LEG_EQUAL, String), ...formsOf(LEG_NUMBERS, number),
  ...formsOf(AGENTS, bic8) };

function differences(config, messages) {
  const [noe, albs, nprs, sets] = ['NOE', 'ALB', 'NPR', 'SET'].map((t) => byAccount(messages, t));
  const found = differing([noe.get(''), ...albs.values()], BLOCK_FORMS);
  if (quantityOf(albs.values()) !== quantityOf(noe.values())) found.push('Quantity');
  for (const [account, alb] of albs) {
    const leg = [alb, nprs.get(account), sets.get(account)];
    found.push(...differing(leg, LEG_FORMS));
    if (!withinTolerance(config, leg)) found.push('SettlementAmount');
  }
  return found;
}

/** Some elements of a message, with their attributes, as the builder wants them. */
function elements(message, ...names) {
  return Object.fromEntries(names.filter((name) => name in message).map((name) => {
    const element = { '#text': message[name] };
    for (const key of Object.keys(message))
      if (key.startsWith(`${name}.`)) element[key.slice(name.length)] = message[key];
    return [name, element];
  }));
}

function clearingMessage(messages) {
  const [noes, nprs, sets] = ['NOE', 'NPR', 'SET'].map((type) => byAccount(messages, type));
  const noe = noes.get('');
  const deliverer = noe.Direction === 'BUYI' ? nprs : sets;
  const legs = [...nprs.keys()].sort().map((account) => ({
    '.account': account,
    ...elements(nprs.get(account), 'Quantity'),
    ...elements(deliverer.get(account), 'SettlementAmount'),
    ...elements(nprs.get(account), 'Commission', 'AccruedInterest'),
    ...elements(sets.get(account), 'DeliveringAgent', 'ReceivingAgent'),
  }));
  return Buffer.from(builder.build({ ClearingSettlement: {
    '.xmlns': 'urn:ste:trade:1', '.action': 'NEWM', '.version': '1',
    ...elements(noe, 'TradeReference', 'TradeDate', 'SettlementDate', 'Direction', 'Payment',
      'Instrument', 'Quantity', 'Price', 'Broker', 'Manager', 'PlaceOfSettlement'),
    Leg: legs,
    Reference: messages.map((m) => m.Reference).sort(),
  } }));
}

module.exports = { Refused, verifiedParticipant, parse, check, isComplete, differences,
  clearingMessage };
