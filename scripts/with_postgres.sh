#!/usr/bin/env bash
# Run a command against a PostgreSQL server of its own, which is gone afterwards:
#   scripts/with_postgres.sh .venv/bin/python -m pytest tests/studies
set -euo pipefail

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
[ -n "$bin" ] || bin=$(dirname "$(command -v postgres || true)")
[ -x "$bin/initdb" ] || { echo "PostgreSQL is not installed (apt-get install postgresql)." >&2; exit 1; }

data=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
  chown postgres "$data"
  as=(runuser -u postgres --)
fi
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
stop() { (cd / && "${as[@]}" "$bin/pg_ctl" -D "$data/db" -m immediate -s stop || true); rm -rf "$data"; }
trap stop EXIT

(
  cd /
  "${as[@]}" "$bin/initdb" -D "$data/db" -U attunement -A trust -E UTF8 --no-sync >/dev/null
  "${as[@]}" "$bin/pg_ctl" -D "$data/db" -s -w -l "$data/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$data -c max_connections=200" start
  "${as[@]}" "$bin/createdb" -h 127.0.0.1 -p "$port" -U attunement attunement
)
DATABASE_URL="postgres://attunement@127.0.0.1:$port/attunement" "$@"
