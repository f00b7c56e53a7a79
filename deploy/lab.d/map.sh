# SPDX-License-Identifier: Apache-2.0
# The instance's cluster map (cluster.yaml; docs/cluster.example.yaml explains it).
# shellcheck shell=sh

map_shards() {
    n=0
    while [ "$n" -lt "$shards" ]; do
        echo "  - { number: $n, host: 127.0.0.1, port: $(port "shard-$n") }"
        n=$((n + 1))
    done
}

# Each shard has at least one node: node j takes the shards that leave j divided by the number of
# nodes; with more nodes than shards, several share one.
map_node() { # NUMBER FROM 1
    cat <<END
    - name: node-$1
      host: local
      health_port: $(port "node-$1")
      assignments:
END
    first=$(($1 - 1))
    if [ "$first" -ge "$shards" ]; then
        echo "        - { shard: $((first % shards)), workers: $workers }"
        return 0
    fi
    while [ "$first" -lt "$shards" ]; do
        echo "        - { shard: $first, workers: $workers }"
        first=$((first + nodes))
    done
}

map_components() {
    echo "  routers:"
    n=1
    while [ "$n" -le "$routers" ]; do
        echo "    - { name: router-$n, host: local, workers: $router_workers, health_port: $(port "router-$n") }"
        n=$((n + 1))
    done
    echo "  nodes:"
    n=1
    while [ "$n" -le "$nodes" ]; do
        map_node "$n"
        n=$((n + 1))
    done
}

# Queues are sized for this many minutes of a shard's absence at the design rate of 1,500-byte
# messages; a lab's disk may not hold an hour of it. Chosen once, remembered: a map that changed with
# the disk's free space would restart what reads it.
map_outage_minutes() {
    free_kb=$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')
    minutes=$((free_kb / 3 / (design_rate * 60 * 3 / 2)))
    [ "$minutes" -le 60 ] || minutes=60
    [ "$minutes" -ge 1 ] || minutes=1
    echo "$minutes"
}

map_write() {
    cat >"$dir/cluster.yaml.new" <<END
# Written by deploy/lab for this instance at every start.
cluster:
  id: lab
  shard_count: $shards
  match_key: [TradeReference]
  business_date: $as_of
  design_rate: $design_rate
  outage_allowance_min: $outage_minutes
  retention: 3
broker:
  host: 127.0.0.1
  port: $(port amqp)
  vhost: /
  management: http://127.0.0.1:$(port management)
  heartbeat_s: 5
  window: 512
  users:
    admin:     { user: ste-admin,     password_file: secrets/broker-admin }
    router:    { user: ste-router,    password_file: secrets/broker-router }
    node:      { user: ste-node,      password_file: secrets/broker-node }
    clearing:  { user: ste-clearing,  password_file: secrets/broker-clearing }
    operator:  { user: ste-operator,  password_file: secrets/broker-operator }
    submitter: { user: STEHSGSG,      password_file: secrets/broker-submitter }
database:
  name: ste
  users:
    node:     { user: ste_node,     password_file: secrets/db-node }
    migrator: { user: ste_migrator, password_file: secrets/db-migrator }
    checker:  { user: ste_checker,  password_file: secrets/db-checker }
shards:
$(map_shards)
hosts:
  - { name: local, address: 127.0.0.1 }
components:
$(map_components)
submit:
  hub: STEHSGSG/hub
  keys: keys
profiles:
  - name: default
    conditions:
      SettlementAmount: { rule: band, low: 2, edge: 100000, high: 25 }
      Commission: { rule: absolute, amount: 0 }
      AccruedInterest: { rule: absolute, amount: 0 }
    checks: { isin: reject, arithmetic: warn }
reference:
  currencies: reference/currencies.csv
  countries: reference/countries.csv
  instruments: reference/instruments.csv
  participants: participants.yaml
  calendars: reference/calendars
  rates: reference/rates.csv
END
    [ ! -f "$dir/cluster.yaml" ] || mv "$dir/cluster.yaml" "$dir/cluster.yaml.before"
    mv "$dir/cluster.yaml.new" "$dir/cluster.yaml"
}

# The shipped reference data, copied so that an instance may change its own.
reference_copy() {
    [ -d "$top/deploy/reference" ] || return 0
    mkdir -p "$dir/reference"
    cp -R "$top/deploy/reference/." "$dir/reference/"
}
