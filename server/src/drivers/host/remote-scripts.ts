import { shellQuoted } from '../ssh/shell-quote.ts';
import type { Command } from './host.ts';

// Shell scripts that run on the other server before and after a command: plain sh, the same everywhere. They are
// passed on standard input to `sh -s`, because command lines are visible to every user of a machine.

/** The leading process of a command on the other server; the start time distinguishes it from a later one with the
 * same pid. */
export type RemoteLeader = { pid: string; startTime: string };

const isName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reports its pid, then execs the command. Its lines on stderr begin with `nonce`, up to `<nonce> go`. */
export function launchScript({ file, args, cwd, env }: Command, nonce: string): string {
  const odd = Object.keys(env).find((name) => !isName.test(name));
  if (odd !== undefined) throw new Error(`${odd} cannot be the name of a variable on another machine`);
  const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  return `
fail() { echo "${nonce} $1" >&2; exit 127; }
{ read -r mooring_stat </proc/$$/stat; } 2>/dev/null || fail proc
set -- \${mooring_stat##*) }
shift 19
echo "${nonce} pid $$ $1" >&2
unset mooring_stat
cd ${shellQuoted(cwd)} 2>/dev/null || fail cwd
unset OLDPWD
${variables.join('')}command -v ${shellQuoted(file)} >/dev/null 2>&1 || fail file
echo "${nonce} go" >&2
exec ${[file, ...args].map(shellQuoted).join(' ')} </dev/null
`;
}

/** Ends processes with a variable that begins with $1, the processes of the leader $2 with start time $3, and their
 * descendants: sends SIGTERM, waits up to $4 tenths of a second, then sends SIGKILL, until three scans in a row find
 * nothing. Prints their number. */
const ending = `
marker=$1 leader=$2 born=$3 patience=$4
[ -r /proc/self/stat ] || { echo "there is no /proc on this machine" >&2; exit 3; }

# One look at all of them; BusyBox reads no further than the first variable, so there each is looked at by itself.
candidates() {
  if [ "$quick" ]; then grep -lsF -e "$marker" /proc/[0-9]*/environ 2>/dev/null
  else for folder in /proc/[0-9]*; do echo "$folder/environ"; done; fi
}
quick=$(printf 'a\\000b' | grep -cF b 2>/dev/null)
[ "$quick" = 1 ] || quick=

carries() {
  { tr '\\000' '\\n' <"$1"; } 2>/dev/null | {
    while IFS= read -r each; do case $each in "$marker"*) exit 0 ;; esac; done
    exit 1
  }
}

alive() {
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  set -- "$2" \${line##*) }
  [ "$2" != Z ] && [ "$2" != X ] && [ "\${21}" = "$1" ]
}

look() {
  all= group=$leader
  for folder in /proc/[0-9]*; do
    { read -r line <"$folder/stat"; } 2>/dev/null || continue
    set -- \${line##*) }
    case $1 in Z | X) continue ;; esac
    case "$2$3$4\${20}" in '' | *[!0-9]*) continue ;; esac
    all="$all \${folder#/proc/}:$2:$3:$4:\${20}"
    [ "\${folder#/proc/}" = "$leader" ] && [ "\${20}" != "$born" ] && group=0
  done
  members=' '
  for file in $(candidates); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    carries "$file" && members="$members$pid "
  done
  found= grown=yes
  while [ "$grown" ]; do
    grown= rest=
    for each in $all; do
      IFS=:
      set -- $each
      unset IFS
      case "$members" in *" $1 "* | *" $2 "*) own=yes ;; *) own= ;; esac
      [ "$group" != 0 ] && case " $1 $3 $4 " in *" $group "*) own=yes ;; esac
      if [ "$own" ]; then
        found="$found $1:$2:$5" grown=yes
        case "$members" in *" $1 "*) ;; *) members="$members$1 " ;; esac
      else rest="$rest $each"; fi
    done
    all=$rest
  done
}

tell() {
  IFS=:
  set -- "$1" $2
  unset IFS
  alive "$2" "$4" && kill "-$1" "$2" 2>/dev/null
}

look
count=0 asked=' '
for each in $found; do
  count=$((count + 1)) asked="$asked\${each%%:*} "
  tell TERM "$each"
done
while [ "$found" ] && [ "$patience" -gt 0 ]; do
  sleep 0.1 || sleep 1
  patience=$((patience - 1))
  look
  for each in $found; do
    pid=\${each%%:*} parent=\${each#*:} parent=\${parent%%:*}
    case "$asked" in *" $pid "*) continue ;; esac
    case "$members" in *" $parent "*) continue ;; esac
    asked="$asked$pid "
    tell TERM "$each"
  done
done
tries=0 quiet=0
while :; do
  if [ "$found" ]; then
    quiet=0 tries=$((tries + 1))
    [ "$tries" -gt 100 ] && { echo "processes$found do not end" >&2; exit 4; }
    for each in $found; do tell KILL "$each"; done
  else
    quiet=$((quiet + 1))
    [ "$quiet" -ge 3 ] && break
  fi
  sleep 0.02 || sleep 1
  look
done
echo "$count"
`;

export const endScript = (marker: string, leader: RemoteLeader | undefined, graceMs: number): string =>
  `set -- ${[marker, leader?.pid ?? '0', leader?.startTime ?? '0', String(Math.ceil(graceMs / 100))].map(shellQuoted).join(' ')}\n${ending}`;
