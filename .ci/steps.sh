# Sourced by .ci/run and .ci/long: steps, their counts, and the servers that are not part of the project.

export CI=true REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true npm_config_update_notifier=false
# The caller's own databases are not ours to test on.
citus_url=${TEST_CITUS_URL:-}
unset DATABASE_URL TEST_DATABASE_URL REDIS_URL TEST_CITUS_URL

scratch=$(mktemp -d)
passed=0
failed=0
skipped=0
summary=()
as_postgres=()
postgres_data=
redis_pid=

clean_up() {
  if [ -n "$postgres_data" ]; then
    "${as_postgres[@]}" "$postgres_bin/pg_ctl" -D "$postgres_data" -m immediate stop >/dev/null 2>&1
    rm -rf "$postgres_data"
  fi
  if [ -n "$redis_pid" ]; then kill "$redis_pid" 2>/dev/null; fi
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

note() {
  printf '%s\n' "$*"
  summary+=("$*")
}

# run_step <name> <command...>: answers the command's own exit code
run_step() {
  local name=$1 started=$SECONDS code=0
  shift
  printf '\n== %s: %s\n' "$name" "$*"
  "$@" </dev/null || code=$?
  note "$(printf '%-34s %-6s %4ds' "$name" "$([ "$code" -eq 0 ] && echo ok || echo FAILED)" $((SECONDS - started)))"
  return "$code"
}

check() {
  run_step "$@" || failed=$((failed + 1))
}

# The runner's own last line is what counts; a run that ended without one has failed.
test_run() {
  local name=$1 log="$scratch/tests.log" tally
  shift
  run_step "$name" recorded "$log" "$@"
  local code=$?
  tally=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  if [[ $tally =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
    skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
    if [ "$code" -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; then failed=$((failed + 1)); fi
  else
    failed=$((failed + 1))
  fi
  # The end of the output is often all that is kept of it.
  while read -r failure; do summary+=("  $failure"); done < <(grep -E '^FAILED ' "$log")
}

recorded() {
  local log=$1
  shift
  "$@" 2>&1 | tee "$log"
}

finish() {
  printf '\n== Steps\n'
  printf '%s\n' "${summary[@]}"
  printf '\n'
  if [ "$skipped" -gt 0 ]; then
    printf '%d skipped: this machine lacks what they need\n' "$skipped"
  fi
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ]
  exit
}

left_out() {
  printf '\n!!! %s: found none here and could install none !!!\n' "$1"
  note "$(printf '%-34s LEFT OUT' "$1")"
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

install_packages() {
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    sudo=(sudo -n)
  fi
  command -v apt-get >/dev/null || return 1
  "${sudo[@]}" apt-get update -qq </dev/null >/dev/null 2>&1
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$scratch/apt.log" 2>&1 ||
    { tail -n 5 "$scratch/apt.log"; return 1; }
}

can_connect() {
  node --input-type=module -e '
    import pg from "pg"
    const client = new pg.Client({ connectionString: process.argv[1], connectionTimeoutMillis: 3000 })
    await client.connect()
    await client.query("select 1")
    await client.end()
  ' "$1" >/dev/null 2>&1
}

# Sets postgres_url: a server of our own in memory and without fsync, where a database for each test file takes a tenth
# of the time; otherwise the server that listens here already.
find_postgres() {
  postgres_bin=/usr/lib/postgresql/15/bin
  start_postgres && return
  postgres_url=postgres://postgres@127.0.0.1:5432/postgres
  can_connect "$postgres_url" && return
  install_packages postgresql-15 && start_postgres
}

start_postgres() {
  [ -x "$postgres_bin/initdb" ] || return 1
  # PostgreSQL refuses to run as root.
  if [ "$(id -u)" -eq 0 ]; then as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi
  memory=/dev/shm
  [ -w "$memory" ] && [ "$(df --output=avail -k "$memory" | tail -n 1)" -gt 3000000 ] || memory="$scratch"
  postgres_data=$(mktemp -d "$memory/membrane-ci-XXXXXX") || return 1
  chmod 755 "$scratch"
  if [ "$(id -u)" -eq 0 ]; then chown postgres "$postgres_data" || return 1; fi
  "${as_postgres[@]}" "$postgres_bin/initdb" -D "$postgres_data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null || return 1
  "${as_postgres[@]}" "$postgres_bin/pg_ctl" -D "$postgres_data" -w -l "$postgres_data/log" \
    -o "-p 55415 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$postgres_data -c fsync=off" start >/dev/null || return 1
  # Writing to a Unix socket takes half of the time.
  postgres_url=postgres://postgres@127.0.0.1:55415/postgres?host=$postgres_data
  can_connect "$postgres_url"
}

find_redis() {
  redis_url=redis://127.0.0.1:6379
  answers 6379 && return
  command -v redis-server >/dev/null || install_packages redis-server || return 1
  redis-server --port 55479 --bind 127.0.0.1 --save '' --appendonly no --dir "$scratch" >/dev/null 2>&1 &
  redis_pid=$!
  for _ in $(seq 50); do
    if answers 55479; then
      redis_url=redis://127.0.0.1:55479
      return
    fi
    sleep 0.1
  done
  return 1
}

# The console is tested in the browser that the distribution has; nothing is downloaded from elsewhere.
find_chromium() {
  local name
  for name in chromium chromium-browser google-chrome; do
    [ -x "/usr/bin/$name" ] && return
  done
  install_packages chromium
}

# older_servers <name> <command...>: with the oldest PostgreSQL that is supported, and the other queue
older_servers() {
  local name=$1 servers
  shift
  if find_postgres; then
    servers=("TEST_DATABASE_URL=$postgres_url")
    if find_redis; then servers+=("REDIS_URL=$redis_url"); else left_out 'Redis'; fi
    test_run "$name" env "${servers[@]}" "$@"
  else
    left_out "$name"
  fi
}
