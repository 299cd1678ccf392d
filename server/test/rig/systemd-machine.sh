#!/usr/bin/env bash
# A Debian machine with systemd as process 1, made of namespaces only (util-linux and iproute2; no image, no daemon). As root:
#   systemd-machine.sh base TREE [package...]   build the base tree once (needs mmdebstrap); SUITE=trixie for another release,
#                                               SOURCES='deb ...' for other sources than the host's own
#   systemd-machine.sh start DIR TREE           boot; returns when systemd is up. DIR/upper holds every file that differs from TREE
#   systemd-machine.sh exec DIR command...      run a command in it as root: stdin, stdout, stderr and exit code are the caller's
#   systemd-machine.sh stop DIR                 shut down. DIR/upper stays: a later start is a reboot, rm -rf DIR throws it away
# start knows: NETWORK=10.88.5  a cable to the host (host 10.88.5.1, machine 10.88.5.2); without it the machine has only loopback
#              UPLINK=1         with NETWORK: lets it out through the host (ip_forward and iptables)
#              CGROUP_V1=1      on a cgroup v1 host: its controllers instead of cgroup v2 (limits work then)
set -euo pipefail
SELF=$(readlink -f "$0")
PACKAGES=apt,systemd-sysv,dbus,libpam-systemd,libnss-systemd,ca-certificates,curl,iproute2,procps
die() { echo "$*" >&2; exit 1; }

base() { # TREE [package...]
  local tree=$1 own suite; shift
  [ ! -e "$tree" ] || return 0
  own=$(. /etc/os-release; echo "$VERSION_CODENAME"); suite=${SUITE:-$own}
  rm -rf "$tree.new"; mkdir -p "$tree.new"
  # the host's own Debian sources, whatever files and format they are in
  [ -n "${SOURCES:-}" ] || SOURCES=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sed "s/ $own/ $suite/")
  [ -n "$SOURCES" ] || die "apt knows no Debian sources: run apt-get update first"
  echo "$SOURCES" |                                        # through a tar, so that TMPDIR can be a RAM disk
    mmdebstrap --quiet --variant=minbase --include="$PACKAGES,$*" "$suite" - - |
    tar -x --numeric-owner --xattrs --xattrs-include='*' --acls -C "$tree.new"
  mv "$tree.new" "$tree"
}

machine() { # DIR: the names that follow from it
  export M_DIR M_NAME M_CGROUP
  M_DIR=$(readlink -f "$1"); M_NAME=sdm$(printf %s "$M_DIR" | cksum | cut -d' ' -f1)   # an interface name has 15 characters at most
  M_CGROUP=$(findmnt -nr -o TARGET -t cgroup2 | head -1)/$M_NAME
}
init() { # process 1 as the host numbers it; empty: not booted. systemd has children there, too, before they join their unit
  local pid; for pid in $(cat "$M_CGROUP/init.scope/cgroup.procs" 2>/dev/null); do
    ! grep -qs '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" || echo "$pid"
  done
}
v1() { findmnt -nr -t cgroup -o TARGET,FS-OPTIONS | sed 's/ rw,/ /'; }    # directory and controllers of each v1 hierarchy

start() { # DIR TREE
  mkdir -p "$1"/{root,upper,work}; machine "$1"; export CGROUP_V1 M_TREE; M_TREE=$(readlink -f "$2")
  mkdir "$M_CGROUP" 2>/dev/null || die "$M_DIR is running, or was not stopped"
  touch "$M_DIR/net"; unshare --net="$M_DIR/net" ip link set lo up   # a network namespace with a name, ready before the machine
  echo "${NETWORK:-} ${UPLINK:-}" >"$M_DIR/network"; [ -z "${NETWORK:-}" ] || cable
  setsid nsenter --net="$M_DIR/net" unshare --fork --pid --mount --uts --ipc --propagation private "$SELF" into-cgroup \
    </dev/null >"$M_DIR/log" 2>&1 &
  for _ in $(seq 300); do
    [ -d /proc/$! ] || { stop "$M_DIR"; die "did not boot: $(cat "$M_DIR/log")"; }
    case $(run systemctl is-system-running 2>/dev/null) in running | degraded) return ;; esac
    sleep 0.1
  done
  die "not up after 30 s: $(run systemctl list-jobs)"
}

cable() {
  local mtu; mtu=$(cat "/sys/class/net/$(ip route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -1)/mtu" 2>/dev/null || echo 1500)
  ip link add "$M_NAME" mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$M_DIR/net"
  ip addr add "$NETWORK.1/24" dev "$M_NAME"; ip link set "$M_NAME" up
  nsenter --net="$M_DIR/net" sh -ec "ip addr add $NETWORK.2/24 dev eth0; ip link set eth0 up; ip route add default via $NETWORK.1"
  [ -z "${UPLINK:-}" ] || { echo 1 >/proc/sys/net/ipv4/ip_forward; nat -I; }
}
nat() { # -I or -D
  iptables -t nat "$1" POSTROUTING -s "$NETWORK.2" ! -d "$NETWORK.0/24" -j MASQUERADE
  iptables "$1" FORWARD -s "$NETWORK.2" -j ACCEPT; iptables "$1" FORWARD -d "$NETWORK.2" -j ACCEPT
}

into-cgroup() { # the machine's first process: the cgroup must be joined before its namespace is made
  echo 0 >"$M_CGROUP/cgroup.procs"
  [ -z "${CGROUP_V1:-}" ] || v1 | while read -r dir _; do
    mkdir -p "$dir/$M_NAME"
    for f in cpus mems; do [ ! -e "$dir/cpuset.$f" ] || cat "$dir/cpuset.$f" >"$dir/$M_NAME/cpuset.$f"; done
    echo $$ >"$dir/$M_NAME/cgroup.procs"
  done
  exec unshare --cgroup "$SELF" boot
}

boot() { # what systemd asks of a container manager: https://systemd.io/CONTAINER_INTERFACE
  local r=$M_DIR/root cg=$M_DIR/root/sys/fs/cgroup
  mount -t overlay -o "lowerdir=$M_TREE,upperdir=$M_DIR/upper,workdir=$M_DIR/work" overlay "$r"
  mount -t proc -o nosuid,nodev,noexec proc "$r/proc"
  mount --bind "$r/proc/sys" "$r/proc/sys"; mount --bind "$r/proc/sys/net" "$r/proc/sys/net"
  mount -o remount,bind,ro "$r/proc/sys"                   # kernel settings are the host's; those of the network are its own
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$r/sys"  # read-only: no udev
  if [ -z "${CGROUP_V1:-}" ]; then mount -t cgroup2 cgroup2 "$cg"; else
    mount -t tmpfs -o mode=755 tmpfs "$cg"
    v1 | while read -r dir controllers; do mkdir "$cg/${dir##*/}"; mount -t cgroup -o "$controllers" cgroup "$cg/${dir##*/}"; done
    mkdir "$cg/unified"; mount -t cgroup2 cgroup2 "$cg/unified"
  fi
  mount -t tmpfs -o mode=755,nosuid tmpfs "$r/dev"; cp -a "$M_TREE/dev/." "$r/dev/"; rm -f "$r/dev/console" "$r/dev/ptmx"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$r/dev/pts"; ln -s pts/ptmx "$r/dev/ptmx"
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$r/dev/shm"
  mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$r/run"
  cat /proc/sys/kernel/random/uuid >"$r/run/boot-id"; mount --bind "$r/run/boot-id" "$r/proc/sys/kernel/random/boot_id"
  for d in docker containerd; do                           # overlayfs does not stack: a Docker engine gets the disk itself
    mkdir -p "$M_DIR/$d" "$r/var/lib/$d"; mount --bind "$M_DIR/$d" "$r/var/lib/$d"
  done
  if [ ! -e "$M_DIR/upper/etc/machine-id" ]; then          # its first boot. Without an id systemd would enable every unit it finds
    tr -d - </proc/sys/kernel/random/uuid >"$r/etc/machine-id"
    echo "$M_NAME" >"$r/etc/hostname"; printf '127.0.0.1 localhost %s\n::1 localhost\n' "$M_NAME" >"$r/etc/hosts"
  fi
  cd "$r"; pivot_root . mnt; umount -l /mnt; mount --make-rshared /
  exec setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd ${CGROUP_V1:+SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1}   # systemd 256 and 257 want to be forced to v1
}

run() { # command...
  local pid; pid=$(init); [ -n "$pid" ] || return 125
  mkdir -p "$M_CGROUP/exec"; echo "$BASHPID" >"$M_CGROUP/exec/cgroup.procs"
  nsenter --target "$pid" --all --wdns=/root env -i HOME=/root USER=root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

stop() { # DIR
  machine "$1"; local pid; pid=$(init)
  [ -d "$M_CGROUP" ] || return 0
  [ -z "$pid" ] || kill -s RTMIN+3 "$pid"                  # "halt" to systemd
  for _ in $(seq 150); do grep -q 'populated 0' "$M_CGROUP/cgroup.events" && break; sleep 0.1; done
  echo 1 >"$M_CGROUP/cgroup.kill"; while ! grep -q 'populated 0' "$M_CGROUP/cgroup.events"; do sleep 0.05; done
  read -r NETWORK UPLINK <"$M_DIR/network" || true; [ -z "$UPLINK" ] || nat -D
  [ -z "$NETWORK" ] || ip link del "$M_NAME"
  umount "$M_DIR/net"
  find "$M_CGROUP" $(v1 | sed "s# .*#/$M_NAME#") -depth -type d -exec rmdir {} + 2>/dev/null || true
}

case ${1:-} in
  base | start | stop | into-cgroup | boot) "$@" ;;
  exec) machine "$2"; shift 2; run "$@" ;;
  *) sed -n '2,10s/^# \?//p' "$SELF"; exit 2 ;;
esac
