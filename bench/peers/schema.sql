-- SPDX-License-Identifier: Apache-2.0
-- The plain service's tables: what a team would draw first. The driver splits this at each line that
-- ends in ";".

CREATE TABLE trade (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    trade_reference VARCHAR(35) NOT NULL,
    broker VARCHAR(8) NOT NULL,
    manager VARCHAR(8) NOT NULL,
    trade_date DATE NOT NULL,
    status ENUM ('open', 'unmatched', 'cleared') NOT NULL DEFAULT 'open',
    differences VARCHAR(1000) NOT NULL DEFAULT '',
    UNIQUE KEY trade_identity (trade_reference, broker, manager, trade_date)
) ENGINE = InnoDB;

-- One message of a type and an account; what comes second for a place is left out.
CREATE TABLE message (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    trade_id BIGINT UNSIGNED NOT NULL,
    type CHAR(3) NOT NULL,
    account VARCHAR(35) NOT NULL,
    sender VARCHAR(8) NOT NULL,
    reference VARCHAR(35) NOT NULL,
    delivery_id VARCHAR(255) NOT NULL,
    received_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    fields TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE KEY place (trade_id, type, account)
) ENGINE = InnoDB;

CREATE TABLE refused (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    delivery_id VARCHAR(255) NOT NULL,
    reasons TEXT NOT NULL,
    body MEDIUMBLOB NOT NULL
) ENGINE = InnoDB;
