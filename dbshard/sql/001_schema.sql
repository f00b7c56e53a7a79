-- SPDX-License-Identifier: Apache-2.0
-- Schema version 1 of one shard (dbshard/README.md). Runs on MariaDB 10.11+ and MySQL 8.4+.
-- ste-admin migrate splits it at each line that ends in ";" and puts one partition a day in the
-- place of {days}. Everything that is compared as bytes is BINARY or VARBINARY: utf8mb4_bin would
-- ignore trailing spaces. One unique key a table: with several, multi-row upserts deadlock.

CREATE TABLE IF NOT EXISTS schema_version (
    version INT UNSIGNED NOT NULL,
    applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (version)
) ENGINE = InnoDB;

-- One row: which shard of which cluster this is. Compared at every connect.
CREATE TABLE IF NOT EXISTS shard_identity (
    id TINYINT UNSIGNED NOT NULL,
    cluster VARBINARY(64) NOT NULL,
    shard_number INT UNSIGNED NOT NULL,
    shard_count INT UNSIGNED NOT NULL,
    match_key VARBINARY(255) NOT NULL,
    map_epoch INT UNSIGNED NOT NULL,
    schema_version INT UNSIGNED NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB;

-- The only authority on which trade dates are taken. state: 1 open, 2 closing, 3 purged.
CREATE TABLE IF NOT EXISTS day (
    trade_date DATE NOT NULL,
    state TINYINT UNSIGNED NOT NULL,
    changed_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
    PRIMARY KEY (trade_date)
) ENGINE = InnoDB;

-- state NULL: a placeholder that a running batch holds locked.
CREATE TABLE IF NOT EXISTS trade (
    trade_date DATE NOT NULL,
    trade_key BINARY(16) NOT NULL,
    match_hash BINARY(16) NOT NULL,
    slot INT UNSIGNED NOT NULL,
    status TINYINT UNSIGNED NOT NULL,
    identity VARBINARY(128) NOT NULL,
    trade_reference VARBINARY(35) NOT NULL DEFAULT '',
    broker VARBINARY(8) NOT NULL DEFAULT '',
    manager VARBINARY(8) NOT NULL DEFAULT '',
    instrument VARBINARY(12) NOT NULL DEFAULT '',
    settlement_date DATE NULL,
    message_count INT UNSIGNED NOT NULL DEFAULT 0,
    account_count INT UNSIGNED NOT NULL DEFAULT 0,
    cls_version INT UNSIGNED NOT NULL DEFAULT 0,
    state MEDIUMBLOB NULL,
    PRIMARY KEY (trade_date, trade_key),
    KEY trade_match (match_hash),
    KEY trade_status (status, trade_date)
) ENGINE = InnoDB
PARTITION BY LIST COLUMNS (trade_date) ({days});

-- Append-only, in arrival order. encoding of body: 0 as sent, 1 zstd.
CREATE TABLE IF NOT EXISTS message (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    trade_date DATE NOT NULL,
    trade_key BINARY(16) NOT NULL,
    slot INT UNSIGNED NOT NULL,
    type TINYINT UNSIGNED NOT NULL,
    `function` TINYINT UNSIGNED NOT NULL,
    sender VARBINARY(8) NOT NULL,
    reference VARBINARY(35) NOT NULL,
    account VARBINARY(35) NOT NULL,
    key_id VARBINARY(255) NOT NULL,
    delivery_id VARBINARY(255) NOT NULL,
    delivery_index INT UNSIGNED NOT NULL,
    signed_sha256 BINARY(32) NOT NULL,
    received_us BIGINT UNSIGNED NOT NULL,
    encoding TINYINT UNSIGNED NOT NULL,
    body MEDIUMBLOB NOT NULL,
    PRIMARY KEY (id, trade_date)
) ENGINE = InnoDB
PARTITION BY LIST COLUMNS (trade_date) ({days});

-- kind: 0 EXC, 1 REJ. last_delivery_* is the delivery that was counted last: the same one again is
-- no repetition.
CREATE TABLE IF NOT EXISTS exception (
    business_day DATE NOT NULL,
    hash BINARY(16) NOT NULL,
    slot INT UNSIGNED NOT NULL,
    kind TINYINT UNSIGNED NOT NULL,
    type TINYINT UNSIGNED NOT NULL,
    code VARBINARY(4) NOT NULL,
    place VARBINARY(255) NOT NULL,
    text VARBINARY(512) NOT NULL,
    findings MEDIUMBLOB NOT NULL,
    signer VARBINARY(8) NOT NULL,
    sender VARBINARY(11) NOT NULL,
    reference VARBINARY(255) NOT NULL,
    trade_reference VARBINARY(255) NOT NULL,
    key_id VARBINARY(255) NOT NULL,
    delivery_id VARBINARY(255) NOT NULL,
    delivery_index INT UNSIGNED NOT NULL,
    last_delivery_id VARBINARY(255) NOT NULL,
    last_delivery_index INT UNSIGNED NOT NULL,
    repeats INT UNSIGNED NOT NULL DEFAULT 0,
    received_us BIGINT UNSIGNED NOT NULL,
    signed_sha256 BINARY(32) NOT NULL,
    raw_bytes_total BIGINT UNSIGNED NOT NULL,
    raw MEDIUMBLOB NOT NULL,
    PRIMARY KEY (business_day, hash)
) ENGINE = InnoDB
PARTITION BY LIST COLUMNS (business_day) ({days});

-- One row is one delivery to ste.out. bcc: further routing keys, one a line.
CREATE TABLE IF NOT EXISTS outbox (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    worker_id BIGINT UNSIGNED NOT NULL,
    created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    routing_key VARBINARY(255) NOT NULL,
    bcc BLOB NOT NULL,
    message_id VARBINARY(255) NOT NULL,
    record_count INT UNSIGNED NOT NULL,
    body MEDIUMBLOB NOT NULL,
    PRIMARY KEY (id)
) ENGINE = InnoDB;
