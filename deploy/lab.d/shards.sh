# SPDX-License-Identifier: Apache-2.0
# The instance's private MariaDB servers, one a shard: own data, socket and port, loopback only.
# The database's root is the system user who runs the lab, through the socket.
# shellcheck shell=sh

shard_folder() { printf '%s\n' "$dir/shard-$1"; }

# 256 MiB each, less where all of them would take more than a quarter of the memory.
shard_buffer_pool_mb() {
    mb=$(($(memory_kb) / 4 / 1024 / shards))
    [ "$mb" -le 256 ] || mb=256
    [ "$mb" -ge 32 ] || mb=32
    echo "$mb"
}

shard_configure() { # NUMBER
    mkdir -p "$(shard_folder "$1")" "$dir/log"
    sed -e "s|@data@|$(shard_folder "$1")/data|" -e "s|@port@|$(port "shard-$1")|" \
        -e "s|@buffer_pool@|${buffer_pool}M|" \
        "$top/deploy/mysql/shard.cnf.in" >"$(shard_folder "$1")/shard.cnf"
}

# --force: a bare machine may not even resolve localhost, and nothing here asks for names.
shard_install() { # NUMBER: the system tables; a half-made folder is made again
    folder=$(shard_folder "$1")
    [ -e "$folder/data" ] && return 0
    rm -rf "$folder/data.new"
    mkdir -m 700 "$folder/data.new"
    run mariadb-install-db --no-defaults --datadir="$folder/data.new" --tmpdir="$folder" --user="$(id -un)" \
        --auth-root-authentication-method=socket --auth-root-socket-user="$(id -un)" \
        --skip-test-db --skip-name-resolve --force >"$dir/log/shard-$1-install.log" 2>&1 || {
        show_log "$dir/log/shard-$1-install.log"
        die "could not make the data folder of shard $1 (log: $dir/log/shard-$1-install.log)"
    }
    mv "$folder/data.new" "$folder/data"
}

shard_sql() { # NUMBER: statements from standard input
    (cd "$(shard_folder "$1")/data" &&
        mariadb --no-defaults --socket=mysql.sock --user="$(id -un)" --batch --skip-column-names)
}

shard_start() { # NUMBER
    process_running "shard-$1" && return 0
    shard_configure "$1"
    shard_install "$1"
    process_start "shard-$1" "$dir/log/shard-$1.log" /usr/sbin/mariadbd \
        --defaults-file="$(shard_folder "$1")/shard.cnf" --user="$(id -un)"
}

shard_ready() { # NUMBER
    process_running "shard-$1" || return 0 # dead: the caller tells
    echo 'SELECT 1' | shard_sql "$1" >/dev/null 2>&1
}

shard_wait() { # NUMBER
    if ! wait_until 60 shard_ready "$1" || ! process_running "shard-$1"; then
        show_log "$dir/log/shard-$1.log"
        die "shard $1 did not start (log: $dir/log/shard-$1.log)"
    fi
}

shard_user() { # USER SECRET: made, or given the secret's password again
    read -r password <"$dir/secrets/$2"
    printf "CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s';\n" "$1" "$password"
    printf "ALTER USER '%s'@'%%' IDENTIFIED BY '%s';\n" "$1" "$password"
}

# The database and its three users. Node and checker have no rights until `ste-admin migrate`,
# which knows the tables, grants them.
shard_accounts() { # NUMBER
    {
        echo "CREATE DATABASE IF NOT EXISTS ste CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;"
        shard_user ste_migrator db-migrator
        shard_user ste_node db-node
        shard_user ste_checker db-checker
        echo "GRANT ALL ON ste.* TO 'ste_migrator'@'%' WITH GRANT OPTION;"
    } | shard_sql "$1" || die "could not make the users of shard $1 (log: $dir/log/shard-$1.log)"
}

shards_each() { # COMMAND...: once a shard, its number added
    n=0
    while [ "$n" -lt "$shards" ]; do
        "$@" "$n"
        n=$((n + 1))
    done
}
