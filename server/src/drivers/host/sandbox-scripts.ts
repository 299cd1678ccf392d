// Fixed scripts: everything variable comes as an argument, variables come over descriptor 3. All programs before the
// project's own have a clean environment: a project's LD_PRELOAD would otherwise run outside its sandbox.

/** Reads the variables (one per line, `NAME=` and the value with octal escapes), enters the folder `$1`, execs the
 * rest. */
export const enterScript = `
while IFS= read -r mooring_line <&3; do
  mooring_value=$(printf '%b.' "\${mooring_line#*=}")
  command export "\${mooring_line%%=*}=\${mooring_value%.}" || :
done
unset mooring_line mooring_value
exec 3<&-
[ -z "\${TMPDIR-}" ] || [ -d "$TMPDIR" ] || mkdir -p -m 700 "$TMPDIR"
cd "$1" || exit 126
shift
exec "$@"
`;

/** Process 1 of a pid namespace. The kernel ignores SIGTERM for it, so the program is its child. Reports the
 * program's exit code on descriptor 4 and stays while other processes are left: if it exited, the kernel would kill
 * them at once, without a grace period. It keeps one capability that the program lacks, so the kernel denies the
 * program access to its descriptors. */
export const initScript = `
exec 5>&2 2> /dev/null
(exec setpriv --ambient-caps=-all --inh-caps=-all -- "$@" 2>&5 4>&- 5>&-)
status=$?
exec > /dev/null 5>&-
echo "$status" >&4
exec 4>&-
waited=0 left=1
while [ "$left" ] && [ "$waited" -lt 600 ]; do
  left=
  for each in /proc/[0-9]*; do [ "$each" = /proc/1 ] || left=1; done
  [ -z "$left" ] || sleep 0.1
  waited=$((waited + 1))
done
exit "$status"
`;

/** Paths about to be covered are bind-mounted to a stage first: `keep` stages a path, `place` moves the staged one to
 * its destination. */
const stageFunctions = `\
stage=/dev/shm
mount -n -t tmpfs -o size=256m,mode=700,nosuid,nodev tmpfs "$stage"
number=0
keep() {
  [ -e "$1" ] || return 0
  number=$((number + 1))
  if [ -d "$1" ]; then mkdir "$stage/$number"; else : > "$stage/$number"; fi
  mount -n --bind "$1" "$stage/$number"
  printf '%s' "$2" > "$stage/$number.path"
}
place() {
  path=$(cat "$stage/$1.path")
  if [ ! -e "$path" ]; then
    # Folders on the way are for everybody to pass, whatever the umask of the service.
    if [ -d "$stage/$1" ]; then (umask 022; mkdir -p "$path"); else (umask 022; mkdir -p "\${path%/*}"); : > "$path"; fi
  fi
  mount -n --move "$stage/$1" "$path"
}
`;

/** Gives a project's user its own /tmp, /var/tmp and /dev/shm. Runs as root, so nothing made by the project is
 * entered: /tmp is a new folder at each start, inside a folder closed to the project. Arguments: that folder, paths
 * that stay visible, `--`, the program. */
export const privateTmpScript = `
set -eu
temporary=$1
shift
rm -rf --one-file-system "$temporary"/start-*
folder=$temporary/start-$$
mkdir -m 1777 "$folder"
${stageFunctions}keep "$folder" /tmp
keep "$folder" /var/tmp
while [ "$1" != -- ]; do keep "$1" "$1"; shift; done
shift
last=$number number=0
while [ "$number" -lt "$last" ]; do number=$((number + 1)); place "$number"; done
rm -rf --one-file-system "$stage"/*
chmod 1777 "$stage"
exec "$@"
`;

/** Builds the project's view of the file system in its own mount namespace, then drops all capabilities but one for
 * process 1. Arguments: process limit, folder for /tmp, writable paths, `--`, readable paths, `--`, hidden folders,
 * `--`, the program. */
export const confineScript = `
set -eu
limit=$1 temporary=$2
shift 2
${stageFunctions}keep "$temporary" /tmp
keep "$temporary" /var/tmp
while [ "$1" != -- ]; do keep "$1" "$1"; shift; done
shift
# The service's user may own files anywhere, its own program among them.
findmnt -rn -o TARGET,VFS-OPTIONS | while read -r target options; do
  target=$(printf '%b' "$target")
  case $target/ in /proc/*|/sys/*|/dev/*|/run/*|/tmp/*|/var/tmp/*) continue ;; esac
  case $options in ro*) continue ;; esac
  mount -n -o "remount,bind,ro\${options#??}" "$target" 2> /dev/null || [ ! -w "$target" ]
done
while [ "$1" != -- ]; do keep "$1" "$1"; shift; done
shift
last=$number number=0
while [ "$number" -lt 2 ]; do number=$((number + 1)); place "$number"; done
: > "$stage/hidden"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then
    mount -n -t tmpfs -o size=1m,mode=755,nosuid,nodev tmpfs "$1"
    printf '%s\\n' "$1" >> "$stage/hidden"
  fi
  shift
done
shift
while [ "$number" -lt "$last" ]; do number=$((number + 1)); place "$number"; done
while IFS= read -r path; do mount -n -o remount,bind,ro,nosuid,nodev "$path"; done < "$stage/hidden"
rm -rf "$stage"/*
chmod 1777 "$stage"
mount -n -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /dev/pts
mount -n -t proc -o nosuid,nodev,noexec proc /proc
# More of the kernel can be attacked in a nested user namespace. Where this is read-only, there is one sandbox less.
echo 0 2> /dev/null > /proc/sys/user/max_user_namespaces || :
only=-all,+wake_alarm
exec setpriv --no-new-privs --inh-caps=$only --ambient-caps=$only --bounding-set=$only -- \\
  prlimit "--nproc=$limit:$limit" -- "$@"
`;
