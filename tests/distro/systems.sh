# Shell functions for tests in clean Debian systems; `source` it. The caller sets
# $root, the folder of the system, $log, a file, and $name, for messages.

# Makes a minimal Debian of the suite $1 in $root, with the packages "$@" after it.
make_root() {
  local suite=$1 packages
  shift
  packages=$(IFS=,; echo "$*")
  debootstrap --variant=minbase ${packages:+"--include=$packages"} "$suite" "$root" \
    ${MIRROR:+"$MIRROR"} >"$log" 2>&1 || { tail -n 20 "$log"; exit 1; }
}

check_root_user() {
  [ "$(id -u)" = 0 ] || { echo "$name: run it as root" >&2; exit 2; }
  command -v debootstrap >/dev/null ||
    { echo "$name: install debootstrap first" >&2; exit 2; }
}

# The system's own mounts are in a namespace that ends with each command, so that
# removing the folder can reach nothing else.
inside() {
  unshare --mount --pid --fork bash -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
    exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' inside "$root" "$@"
}

# Runs the shell line $2 in the folder $1 there, and shows how it ends.
step() {
  local start=$SECONDS
  echo "== $name: $2"
  if ! inside sh -ec "cd $1; $2" </dev/null >"$log" 2>&1; then
    # What failed may be far above the end.
    grep -n -E 'FAILED|Failure$' "$log" | head -n 40 || true
    tail -n 60 "$log"
    echo "$name: \"$2\" failed after $((SECONDS - start)) s" >&2
    exit 1
  fi
  tail -n "${3:-3}" "$log"
  echo "== $((SECONDS - start)) s"
}
