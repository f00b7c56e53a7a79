# SPDX-License-Identifier: Apache-2.0
# The instance's private RabbitMQ and its epmd: own ports, cookie and data, loopback only.
# shellcheck shell=sh

broker_bin=/usr/lib/rabbitmq/bin # the wrappers in sbin change user and folders

# Where the machine's memory ends: a container's limit may be lower than what /proc/meminfo says.
memory_kb() {
    total=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
    for file in /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes; do
        limit=$(cat "$file" 2>/dev/null) || continue
        case $limit in *[!0-9]* | '' | ????????????????*) continue ;; esac # "max", or no limit
        limit=$((limit / 1024))
        [ "$limit" -ge "$total" ] || total=$limit
    done
    echo "$total"
}

broker_memory_bytes() { # two fifths, at most 8 GiB: the queues' own limits come long before
    limit=$(($(memory_kb) * 2 / 5))
    [ "$limit" -le 8388608 ] || limit=8388608
    echo $((limit * 1024))
}

broker_disk_free_bytes() { # 5 GB, or a fifth of what is free
    free_kb=$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')
    limit=$((free_kb / 5 * 1024))
    [ "$limit" -le 5000000000 ] || limit=5000000000
    echo "$limit"
}

broker_configure() {
    (
        umask 077
        mkdir -p "$dir/broker" "$dir/log"
        if [ ! -s "$dir/broker/.erlang.cookie" ]; then
            openssl rand -hex 20 >"$dir/broker/.erlang.cookie"
            chmod 400 "$dir/broker/.erlang.cookie"
        fi
        read -r password <"$dir/secrets/broker-admin"
        # The password travels by a here-document, not by an argument.
        sed -f - "$top/deploy/rabbitmq/lab.conf.in" >"$dir/broker/rabbitmq.conf" <<END
s|@amqp@|$(port amqp)|
s|@management@|$(port management)|
s|@password@|$password|
s|@disk_free_limit@|$(broker_disk_free_bytes)|
s|@memory_limit@|$(broker_memory_bytes)|
END
        sed "s|@dist@|$(port dist)|" "$top/deploy/rabbitmq/lab-advanced.config.in" \
            >"$dir/broker/advanced.config"
        echo '[rabbitmq_management].' >"$dir/broker/enabled_plugins"
    )
}

broker_environment() {
    # An address as host part: a bare chroot has no /etc/hosts that knows localhost.
    export HOME="$dir/broker"
    export ERL_EPMD_ADDRESS=127.0.0.1
    ERL_EPMD_PORT=$(port epmd)
    RABBITMQ_DIST_PORT=$(port dist)
    export ERL_EPMD_PORT RABBITMQ_DIST_PORT
    export RABBITMQ_USE_LONGNAME=true
    export RABBITMQ_NODENAME=ste@127.0.0.1
    export RABBITMQ_MNESIA_BASE="$dir/broker/data"
    export RABBITMQ_LOG_BASE="$dir/log"
    export RABBITMQ_ENABLED_PLUGINS_FILE="$dir/broker/enabled_plugins"
    export RABBITMQ_CONFIG_FILE="$dir/broker/rabbitmq.conf"
    export RABBITMQ_ADVANCED_CONFIG_FILE="$dir/broker/advanced.config"
    export RABBITMQ_PID_FILE="$dir/broker/pid"
    export RABBITMQ_CONF_ENV_FILE=/dev/null
    # The script then becomes the Erlang machine instead of waiting for it: one process, ours.
    export RUNNING_UNDER_SYSTEMD=1
    unset NOTIFY_SOCKET
}

broker_ready() {
    process_running broker || return 0 # dead: the caller tells
    port_busy "$(port amqp)" && port_busy "$(port management)"
}

broker_start() {
    process_running broker && return 0
    broker_configure
    (
        broker_environment
        process_running epmd ||
            process_start epmd "$dir/log/epmd.log" epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT"
        process_start broker "$dir/log/broker.log" "$broker_bin/rabbitmq-server"
    )
}

broker_wait() {
    if ! wait_until 60 broker_ready || ! process_running broker; then
        show_log "$dir/log/broker.log"
        show_log "$dir/log/rabbitmq.log"
        die "the broker did not start (logs: $dir/log/broker.log, $dir/log/rabbitmq.log)"
    fi
}

broker_stop() {
    process_stop broker 60
    process_stop epmd 5
}
