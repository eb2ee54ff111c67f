# The database of the guide.
if command -v psql >/dev/null; then
  bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
  as=()
  if [ "$(id -u)" = 0 ] && id postgres >/dev/null 2>&1; then
    as=(setpriv --reuid=postgres --regid=postgres --init-groups)
  fi
  data=$(mktemp -d)
  chmod 777 "$data"
  (cd "$data" && "${as[@]}" "$bin/initdb" -D "$data/db" -U repartee -A trust -N >/dev/null)
  server "cd $data; ${as[*]} $bin/postgres -D $data/db -k '' -h 127.0.0.1 -p 5432 -F # 127.0.0.1:5432"
  eventually psql -h 127.0.0.1 -U repartee -d postgres -qc 'CREATE DATABASE runs'
  DB=postgresql://repartee@127.0.0.1:5432/runs
fi

# Keeps the order of the output in the guide. The worker ($!) is stopped while a run is submitted. Otherwise it could
# report the run before the command prints the id. "agents runs" waits until the second step has begun.
repartee() {
  local code=0
  case $* in
    "agents worker "*) exec repartee "$@" ;;
    "agents submit "* | "agents resolve "*)
      kill -STOP $!
      command repartee "$@" || code=$?
      kill -CONT $!
      return $code
      ;;
    "agents runs "*) until command repartee "$@" | grep -q mail; do :; done ;;
  esac
  command repartee "$@"
}
