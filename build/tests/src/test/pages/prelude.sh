# Functions for the scripts of this folder and for PagesTest.
ip link set lo up

# The JVMs of several pages have the same process ids, with which they name files here.
mkdir -p "/tmp/hsperfdata_$(id -un)"
mount -t tmpfs -o mode=755 none "/tmp/hsperfdata_$(id -un)"

# Repeats a command until it succeeds.
eventually() {
  until "$@"; do sleep 0.1; done
}

answers() {
  (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts a command in the background. Waits until the loopback ports in it answer, and for the line with the endpoint
# if the command is ours. The search for ports does not find the options -a and -p of nats-server.
server() {
  local output port
  output=$(mktemp -p "$HOME")
  eval "$1" >"$output" 2>&1 </dev/null &
  disown # %1 is the first job of the page
  for port in $(grep -oE '127\.0\.0\.1:[1-9][0-9]+' <<<"$1" | cut -d: -f2); do
    eventually answers "$port"
  done
  case $1 in
    *repartee\ * | examples/*) eventually grep -qE '^(listening|taking)' "$output" ;;
    nats-server\ *) eventually grep -q 'Server is ready' "$output" ;;
  esac
}
