# The part of the launcher that builds the command in a checkout. No package contains it.

# Waits until no other launcher builds. With flock the lock ends with the processes that hold it, Maven
# among them. Without flock the lock is a row of numbered links, and the process that made the last link
# holds the lock. A process may add the next link if the last one is over: the file `.over` exists, or the
# process of the link has ended. Links are never removed, so no process can remove the new link of another.
lock() {
  lock=$root/target/repartee.lock
  [ -w "$root/target" ] || die "cannot write to $root/target."
  if command -v flock >/dev/null; then
    exec 9>"$lock"
    flock -n 9 || { waiting; flock 9; }
    return
  fi
  n=0 told=
  while :; do
    while [ -h "$lock.$((n + 1))" ]; do n=$((n + 1)); done
    if [ "$n" -eq 0 ] || [ -e "$lock.$n.over" ] || gone "$(readlink "$lock.$n")"; then
      ! ln -s "$$ $0" "$lock.$((n + 1))" 2>/dev/null || break
    else
      [ -n "$told" ] || waiting
      told=yes
      sleep 1
    fi
  done
  lock=$lock.$((n + 1)).over
  trap ': >"$lock"' EXIT
  trap 'exit 2' HUP INT TERM
}

unlock() {
  if command -v flock >/dev/null; then
    exec 9>&-
  else
    : >"$lock"
    trap - EXIT HUP INT TERM
  fi
}

waiting() { say "waiting for another build of the command ..."; }

# Succeeds if the launcher that $1 names by process number and path has ended. The path is compared too,
# since another process may have the number by now.
gone() {
  case $(ps -o args= -p "${1%% *}" 2>/dev/null) in
    *"${1#* }"*) return 1 ;;
  esac
}

build() {
  mkdir -p "$root/target" || die "cannot write to $root."
  lock
  why="first use, about half a minute"
  [ -z "${REPARTEE_REBUILD:-}" ] || { rm -f "$ready"; why=REPARTEE_REBUILD; }
  if [ ! -f "$ready" ]; then
    [ -x "$home/bin/javac" ] ||
      die "is not built yet, and that needs a JDK: there is no javac in $home/bin."
    say "building the command ($why) ..."
    log=$root/target/repartee-build.log
    begun=$root/target/repartee-build.begun
    [ ! -e "$begun" ] || discard
    : >"$begun" || die "cannot write to $root/target."
    if ! (cd "$root" && JAVA_HOME=$home ./mvnw -B -q -Dquick -pl tools/cli -am package) \
      </dev/null >"$log" 2>&1 || [ ! -f "$ready" ]; then
      tail -n 30 "$log" >&2
      die "the build failed; all of its output is in $log."
    fi
    rm -f "$begun"
  fi
  unlock
}

# Removes the output of a build that was killed or ran out of disk space. Files may be incomplete, but Maven
# would keep them, because they are newer than their sources.
discard() (
  set +f
  for module in "$root"/* "$root"/*/*; do
    [ ! -f "$module/pom.xml" ] || rm -rf "$module/target/classes" "$module/target/maven-status" \
      "$module/target/lib" "$module/target/picocli" "$module"/target/*.jar
  done
)
