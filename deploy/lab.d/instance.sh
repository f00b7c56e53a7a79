# SPDX-License-Identifier: Apache-2.0
# A whole instance: up, down, status, logs, and one part of it stopped or started.
# shellcheck shell=sh

# Options win over what the instance remembers, that over the defaults.
instance_settings() {
    old_shards=$(recall shards '')
    shards=${opt_shards:-${old_shards:-2}}
    if [ -n "$old_shards" ] && [ "$old_shards" != "$shards" ]; then
        die "$dir has $old_shards shards, which is fixed at creation: \`deploy/lab down --wipe\` first"
    fi
    nodes=${opt_nodes:-$(recall nodes 2)}
    workers=${opt_workers:-$(recall workers 1)}
    routers=${opt_routers:-$(recall routers 1)}
    router_workers=${opt_router_workers:-$(recall router_workers 1)}
    replies=${opt_replies:-$(recall replies all)}
    design_rate=${opt_design_rate:-$(recall design_rate 10000)}
    node_cpu=${opt_node_cpu:-$(recall node_cpu none)}
    shard_cpu=${opt_shard_cpu:-$(recall shard_cpu none)}
    buffer_pool=${opt_buffer_pool:-$(recall buffer_pool "$(shard_buffer_pool_mb)")}
    outage_minutes=$(recall outage_minutes "$(map_outage_minutes)")
    as_of=${opt_as_of:-$(recall as_of "$(date -u +%F)")}
    preset=${opt_preset:-$(recall preset release)}
    bin=${opt_bin:-$(recall bin "$top/build/$preset/bin")}
}

instance_remember() {
    services=$opt_services
    for key in shards nodes workers routers router_workers replies design_rate outage_minutes preset \
        node_cpu shard_cpu services; do
        eval "remember $key \"\$$key\""
    done
    # Without --as-of the business date follows the day of starting, so it is not remembered.
    [ -z "$opt_as_of" ] || remember as_of "$as_of"
    [ -z "$opt_bin" ] || remember bin "$bin"
    # A default follows the machine's memory.
    [ -z "$opt_buffer_pool" ] || remember buffer_pool "$buffer_pool"
}

instance_ports() {
    set -- epmd epmd dist broker amqp broker management broker
    n=0
    while [ "$n" -lt "$shards" ]; do
        set -- "$@" "shard-$n" "shard-$n"
        n=$((n + 1))
    done
    for name in $(component_names); do
        set -- "$@" "$name" "$name"
    done
    ports_ensure "$@"
}

# The broker needs some seconds to start: what needs no service is done meanwhile.
instance_services_up() {
    secrets_ensure
    broker_start
    shards_each shard_start
    participants_write "$replies"
    shards_each shard_wait
    shards_each shard_accounts
    broker_wait
}

# A component whose settings changed, or that left the map, is stopped first.
instance_components_up() {
    for name in $(process_names router-) $(process_names node-); do
        component_names | grep -qx "$name" || process_stop "$name" 30
    done
    admin_step topology
    admin_step migrate
    for name in $(component_names); do component_start "$name"; done
    for name in $(component_names); do component_wait "$name"; done
}

instance_up() {
    [ "$(printf '%s' "$dir" | tr -d '[:blank:]\n')" = "$dir" ] ||
        die "the path of an instance must hold no blanks (RabbitMQ's scripts split it): $dir"
    lock_instance
    chmod 700 "$dir"
    instance_settings
    cpu_prepare
    instance_remember
    instance_ports
    reference_copy
    map_write
    # Programs read the map once: a changed one is for new processes.
    if ! cmp -s "$dir/cluster.yaml" "$dir/cluster.yaml.before"; then
        instance_components_down
    fi
    instance_services_up
    if [ -z "$opt_services" ]; then
        instance_components_up
    fi
    cpu_hold_all
    unlock_instance
}

instance_components_down() {
    for name in $(process_names router-) $(process_names node-); do
        process_stop "$name" 30
    done
}

instance_down() {
    [ -d "$dir" ] || return 0
    lock_instance
    cpu_lift_all
    instance_components_down
    if [ -n "$opt_wipe$opt_kill" ]; then
        for name in broker $(process_names shard-) epmd; do process_kill "$name"; done
    else
        # Asked all at once, so that their shutdowns overlap.
        for name in $(process_names shard-); do process_signal "$name" TERM; done
        broker_stop
        for name in $(process_names shard-); do process_stop "$name" 60; done
    fi
    cpu_forget
    if [ -n "$opt_wipe" ]; then
        instance_wipe
    fi
}

# Only a folder that this script made is removed.
instance_wipe() {
    [ -f "$dir/lab.conf" ] || die "$dir is no instance of the lab: not removed"
    rm -rf "$dir"
}

process_state() { # NAME
    pid=$(process_pid "$1") || {
        echo stopped
        return 0
    }
    case $(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null) in
    T | t) echo frozen ;;
    *) echo running ;;
    esac
}

instance_parts() {
    echo epmd
    echo broker
    n=0
    while [ "$n" -lt "$shards" ]; do
        echo "shard-$n"
        n=$((n + 1))
    done
    [ -n "$(recall services '')" ] || component_names
}

instance_status() { # fails when a part is not running
    [ -f "$dir/lab.conf" ] || die "no instance in $dir (\`deploy/lab up\` makes one)"
    instance_settings
    all=0
    printf '%-12s %-8s %8s %6s\n' part state pid port
    for name in $(instance_parts); do
        state=$(process_state "$name")
        [ "$state" = running ] || all=1
        case $name in broker) key=amqp ;; *) key=$name ;; esac
        printf '%-12s %-8s %8s %6s\n' "$name" "$state" "$(process_pid "$name" || echo -)" "$(port "$key")"
    done
    printf 'map: %s\nlogs: %s\nmanagement: http://127.0.0.1:%s (user ste-admin)\n' \
        "$dir/cluster.yaml" "$dir/log" "$(port management)"
    return "$all"
}

instance_logs() { # [NAME]
    [ -d "$dir/log" ] || die "no logs in $dir/log"
    if [ -n "${1:-}" ]; then
        [ -f "$dir/log/$1.log" ] || die "no log of $1; there are: $(cd "$dir/log" && echo *.log)"
        set -- "$dir/log/$1.log"
    else
        set -- "$dir"/log/*.log
    fi
    tail -n 20 ${opt_follow:+-f} "$@"
}

# broker | shard N | node NAME | router NAME, as the command line says it: the process's name.
part_name() {
    case $1 in
    broker) echo broker ;;
    shard) echo "shard-${2:?}" ;;
    node | router) echo "${2:?}" ;;
    *) die "$1: a part is broker, shard N, node NAME or router NAME" ;;
    esac
}

part_stop() { # NAME
    if [ -n "$opt_kill" ]; then process_kill "$1"; else process_stop "$1" 60; fi
}

part_start() { # NAME
    case $1 in
    broker)
        broker_start
        broker_wait
        ;;
    shard-*)
        shard_start "${1#shard-}"
        shard_wait "${1#shard-}"
        ;;
    *)
        component_start "$1"
        component_wait "$1"
        ;;
    esac
}

instance_part() { # stop|start|restart PART...
    verb=$1
    shift
    [ -f "$dir/lab.conf" ] || die "no instance in $dir"
    lock_instance
    instance_settings
    part=$(part_name "$@")
    instance_parts | grep -qx "$part" || die "$dir has no $part"
    [ "$verb" = start ] || part_stop "$part"
    [ "$verb" = stop ] || { part_start "$part" && cpu_hold "$part"; }
}
