#!/bin/sh
# Installs Mooring on Debian 12 and 13 and Ubuntu 22.04 and 24.04. Run it again to repair or to update an installation.
set -eu

# The public half of the Ed25519 key that signs releases.
release_key='-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAhXIiFOMm6O9jCN5p3s6Qel2HivCQ4dGx3IvfjmvHo0A=
-----END PUBLIC KEY-----
'
default_url=''

home=/opt/mooring
data=/var/lib/mooring
updates=/var/lib/mooring-update
settings=/etc/mooring/mooring.env
units=/etc/systemd/system
link=/usr/local/bin/mooring
# Of the folders above, in MB: an unpacked bundle beside its archive, and room for the first deployments.
home_mb=300
data_mb=200
# How long to wait for the first certificate. Mooring itself goes on trying.
certificate_seconds=45

usage() {
  cat <<'TEXT'
Usage: install.sh [options]

  --domain NAME          host name of the dashboard, for example mooring.example.com
  --email ADDRESS        contact address for the certificate authority
  --runtime docker       run apps as containers; the service runs as the user mooring
  --runtime process      run apps as processes, each project as its own user; the service runs as root
  --with-docker          install Docker if it is missing
  --http-port PORT       port for HTTP instead of 80, behind a proxy of this machine
  --https-port PORT      port for HTTPS instead of 443
  --public-address IP    public address of this machine if it is behind a router; several with commas
  --bundle FILE          install this bundle; the files .sha256 and .sha256.sig are beside it
  --url BASE             address of the releases
  --version VERSION      version to install from there (default: the latest)
  --yes                  ask nothing
  --help                 show this help
TEXT
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

main() {
  # The service's user must be able to read the folders, whatever the umask of root is.
  umask 022
  domain='' email='' runtime='' with_docker=no http_port='' https_port='' public_address=''
  bundle='' url=$default_url version='' yes=no
  parse "$@"
  check_machine
  check_data_folder
  check_space
  make_work_folder
  install_packages openssl git ca-certificates iproute2
  get_bundle
  verify
  installed=$(installed_version)
  if [ -n "$installed" ] && [ "$installed" != "$version" ]; then
    update
    return
  fi
  choose_domain
  check_ports
  choose_runtime
  before_changes=$(fingerprint)
  unpack
  create_folders
  write_settings
  place_units
  start
  report
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --domain | --email | --runtime | --http-port | --https-port | --public-address | --bundle | --url | --version)
        [ $# -ge 2 ] || fail "$1 needs a value"
        [ -n "$2" ] || fail "$1 needs a value"
        ;;
    esac
    case $1 in
      --domain) domain=$2; shift ;;
      --email) email=$2; shift ;;
      --runtime) runtime=$2; shift ;;
      --http-port) http_port=$2; shift ;;
      --https-port) https_port=$2; shift ;;
      --public-address) public_address=$2; shift ;;
      --bundle) bundle=$2; shift ;;
      --url) url=${2%/}; shift ;;
      --version) version=${2#v}; shift ;;
      --with-docker) with_docker=yes ;;
      --yes) yes=yes ;;
      --help) usage; exit 0 ;;
      *) usage >&2; fail "there is no option $1" ;;
    esac
    shift
  done
  case $runtime in '' | docker | process) ;; *) fail "--runtime: must be docker or process" ;; esac
  # These values are written into a file that systemd reads.
  case $domain in *[!A-Za-z0-9.-]*) fail "--domain: must be a host name, such as mooring.example.com" ;; esac
  case $email in *[!A-Za-z0-9.@_+-]*) fail "--email: must be an e-mail address" ;; esac
  case $http_port$https_port in *[!0-9]*) fail "--http-port and --https-port must be numbers" ;; esac
  case $public_address in *[!0-9A-Fa-f.:,]*) fail "--public-address: must be an IP address, such as 203.0.113.7" ;; esac
  case $version in *[!A-Za-z0-9.+-]*) fail "--version: must be a version, such as 1.2.3" ;; esac
  case $url in *[!A-Za-z0-9.:/_~%@+-]*) fail "--url: must be an http or https URL" ;; esac
}

check_machine() {
  [ "$(uname -s)" = Linux ] || fail "Mooring runs on Linux; this is $(uname -s)"
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "there is no bundle for $(uname -m), only for x86_64 and aarch64" ;;
  esac
  [ "$(id -u)" = 0 ] || fail "this needs root; run it with sudo"
  [ -d /run/systemd/system ] || fail "systemd does not run on this machine, so the service cannot be installed" \
    "Use the Docker image instead (compose.yaml in the repository), or run a checkout with npm start."
  command -v apt-get >/dev/null || fail "this needs Debian or Ubuntu, with apt-get" \
    "Use the Docker image instead (compose.yaml in the repository), or run a checkout with npm start."
  # shellcheck disable=SC1091
  case $(. /etc/os-release && printf '%s' "${ID:-}-${VERSION_ID:-}") in
    debian-12* | debian-13* | ubuntu-22.04 | ubuntu-24.04) ;;
    *) say "Mooring is made for Debian 12 and 13 and Ubuntu 22.04 and 24.04. This is another system; continuing." ;;
  esac
}

# The units name the folder.
check_data_folder() {
  given=$(setting MOORING_DATA_DIR)
  given=${given%/}
  [ "${given:-$data}" = "$data" ] ||
    fail "$settings has MOORING_DATA_DIR=$given; an installed Mooring keeps its data in $data" \
      "To keep it on another disk, mount that disk at $data, and remove the line." "Nothing was changed."
}

check_space() {
  mkdir -p /opt /var/lib
  if [ "$(device_of /opt)" = "$(device_of /var/lib)" ]; then
    require_space /opt $((home_mb + data_mb))
  else
    require_space /opt $home_mb
    require_space /var/lib $data_mb
  fi
}

# On the disk of the installation, because /tmp may be small. Removed in any case.
make_work_folder() {
  mkdir -p "$home"
  # Of a run that was killed.
  rm -rf "$home"/.install-*
  work=$(mktemp -d "$home/.install-XXXXXX")
  trap 'rm -rf "$work"; rmdir "$home" 2>/dev/null || true' EXIT
  trap 'exit 1' HUP INT TERM
}

device_of() { df -P "$1" | awk 'NR == 2 { print $1 " " $6 }'; }

require_space() {
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || fail "$1 has $free MB free; Mooring needs $2 MB" "Nothing was installed."
}

install_packages() {
  missing=''
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "Installing$missing with apt-get"
  export DEBIAN_FRONTEND=noninteractive
  # A new machine often updates itself at first.
  patient='-qq -o DPkg::Lock::Timeout=300'
  # shellcheck disable=SC2086
  { apt-get $patient update && apt-get $patient install -y --no-install-recommends $missing; } >"$work/apt" 2>&1 || {
    cat "$work/apt" >&2
    fail "apt-get could not install$missing"
  }
}

# Prompts on the terminal, because standard input may be this script.
is_terminal() { [ $yes = no ] && [ -t 1 ] && (: </dev/tty) 2>/dev/null; }
ask() {
  printf '%s ' "$1" >/dev/tty
  read -r answer </dev/tty || answer=''
}
agrees() {
  ask "$1 [y/N]"
  case $answer in y | Y | yes) return 0 ;; *) return 1 ;; esac
}

get_bundle() {
  if [ -n "$bundle" ]; then
    [ -f "$bundle" ] || fail "--bundle: there is no file $bundle"
    name=$(basename "$bundle")
    version=${name#mooring-}
    version=${version%-linux-"$arch".tar.gz}
    [ "$name" = "mooring-$version-linux-$arch.tar.gz" ] ||
      fail "--bundle: $name is not named mooring-<version>-linux-$arch.tar.gz"
    from=$(dirname "$bundle")
    for each in "mooring-$version.sha256" "mooring-$version.sha256.sig"; do
      [ -f "$from/$each" ] || fail "$from/$each is missing; it belongs to the bundle"
      cp "$from/$each" "$work/"
    done
    # A copy, so that nobody but root can change it once it is verified.
    archive=$work/$name
    cp "$bundle" "$archive" ||
      fail "the bundle cannot be copied to $home; the line above says why" "Nothing was installed."
    return
  fi
  [ -n "$url" ] || fail "choose a bundle with --bundle FILE, or the address of the releases with --url BASE"
  if [ -z "$version" ]; then
    download latest.json
    version=$(sed -n 's/.*"version" *: *"\([A-Za-z0-9.+-]*\)".*/\1/p' "$work/latest.json")
    [ -n "$version" ] || fail "$url/latest.json names no version"
  fi
  if [ "$(installed_version)" != "$version" ]; then say "Downloading Mooring $version"; fi
  archive=$work/mooring-$version-linux-$arch.tar.gz
  for each in "mooring-$version.sha256" "mooring-$version.sha256.sig" "$(basename "$archive")"; do
    download "$each"
  done
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$work/$1" "$url/$1" || fail "$url/$1 could not be downloaded"
  else
    command -v wget >/dev/null || install_packages wget
    wget -q -O "$work/$1" "$url/$1" || fail "$url/$1 could not be downloaded"
  fi
}

# The sums are signed, and the archive has its sum. Nothing of it is unpacked or run before.
verify() {
  printf '%s' "$release_key" >"$work/key.pem"
  sums=$work/mooring-$version.sha256
  openssl pkeyutl -verify -pubin -inkey "$work/key.pem" -rawin -in "$sums" -sigfile "$sums.sig" >/dev/null 2>&1 ||
    fail "the signature of $(basename "$sums") is wrong; the release is damaged or not by its makers" \
      "Nothing was installed."
  name=mooring-$version-linux-$arch.tar.gz
  wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$sums")
  found=$(sha256sum <"$archive" | cut -d ' ' -f 1)
  [ "$found" = "${wanted:-none}" ] ||
    fail "$name does not have the checksum of the release; download it again" "Nothing was installed."
}

installed_version() {
  if [ -f "$home/current/VERSION" ]; then cat "$home/current/VERSION"; fi
}

# The installed version knows how to save its data first and how to go back.
update() {
  say "Mooring $installed is installed; updating to $version"
  "$link" update --help >/dev/null 2>&1 ||
    fail "Mooring $installed cannot update itself" "See docs/operations/update.md."
  "$link" update --bundle "$archive"
}

choose_domain() {
  if [ -f "$settings" ] || ! is_terminal; then return; fi
  if [ -z "$domain" ]; then
    say "The dashboard gets HTTPS under a host name whose DNS record points to this machine."
    ask "Host name of the dashboard (empty: only through SSH):"
    domain=$answer
    case $domain in *[!A-Za-z0-9.-]*) fail "$domain is not a host name" ;; esac
  fi
  if [ -n "$domain" ] && [ -z "$email" ]; then
    ask "E-mail address for the certificate authority (may be empty):"
    email=$answer
    case $email in *[!A-Za-z0-9.@_+-]*) fail "$email is not an e-mail address" ;; esac
  fi
  if [ -n "$domain" ] && [ -z "$public_address" ] && ! has_public_address; then
    ask "This machine has only private addresses. Public address of its router (may be empty):"
    public_address=$answer
    case $public_address in *[!0-9A-Fa-f.:,]*) fail "$public_address is not an IP address" ;; esac
  fi
}

# Whether an interface has an address that is not private, shared (100.64.0.0/10) or link-local.
has_public_address() {
  private='10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.|100\.(6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.|169\.254\.|f[cd]'
  ip -o addr show scope global | awk '{ print $4 }' | grep -Eqv "^($private)"
}

# Not `-s`: every file in /proc has the size 0.
has_ipv6() { grep -q . /proc/net/if_inet6 2>/dev/null; }

has_docker() { [ -S /var/run/docker.sock ]; }

choose_runtime() {
  before=$(setting MOORING_RUNTIME)
  if [ -n "$before" ]; then
    [ "$before" = docker ] || before=process
    [ -z "$runtime" ] || [ "$runtime" = "$before" ] ||
      fail "Mooring is installed with --runtime $before, which --runtime $runtime cannot change" \
        "See \"Change the runtime\" in docs/operations/install.md."
    runtime=$before
  fi
  if [ "$runtime" != process ] && ! has_docker; then
    if [ $with_docker = no ] && [ -z "$before" ] && is_terminal; then
      say "Docker is not installed. With Docker, apps run as containers; without it, as processes of this machine."
      if agrees "Install Docker (docker.io of this system)?"; then with_docker=yes; fi
    fi
    if [ $with_docker = yes ]; then
      install_packages docker.io tini
      systemctl enable --now --quiet docker
    fi
  fi
  if [ -z "$runtime" ]; then
    if has_docker; then runtime=docker; else runtime=process; fi
  fi
  if [ "$runtime" = docker ]; then
    getent group docker >/dev/null || fail "--runtime docker: there is no Docker on this machine; add --with-docker"
    say "Apps run as containers. The service runs as the user mooring, whose access to Docker is equivalent to root."
  elif [ "$(setting MOORING_RUNTIME)" = swarm ]; then
    say "Apps run on the Docker Swarm that this machine manages. The service runs as root."
  else
    say "Apps run as processes. The service runs as root, because each project gets a user of its own."
  fi
}

# The value of a setting that is already in the file.
setting() {
  if [ -f "$settings" ]; then sed -n "s/^$1=//p" "$settings" | tail -n 1 | tr -d "\"'"; fi
}

check_ports() {
  has_settings=no
  if [ -f "$settings" ]; then
    has_settings=yes
    http_port=$(setting MOORING_EDGE_PORT)
    https_port=$(setting MOORING_EDGE_TLS_PORT)
  fi
  http_port=${http_port:-80} https_port=${https_port:-443}
  blocked=''
  for port in "$http_port" "$https_port"; do
    holder=$(holder_of "$port")
    if [ -n "$holder" ]; then
      say "Port $port is taken by $holder"
      blocked=yes
    fi
  done
  [ -n "$blocked" ] || return 0
  if [ $has_settings = no ] && [ "$http_port$https_port" = 80443 ]; then
    if is_terminal && agrees "Use the ports 8080 and 8443, behind that program?"; then
      http_port=8080 https_port=8443
      check_ports
      return
    fi
    fail "Mooring needs the ports $http_port and $https_port" \
      "Stop the program, or run it as a proxy in front of Mooring:" \
      "add --http-port 8080 --https-port 8443" "Nothing was installed."
  fi
  fail "Mooring needs the ports $http_port and $https_port; free them, or choose others" "Nothing was changed."
}

# Names the program that listens on a port, unless it is our own edge.
holder_of() {
  line=$(ss -Hltnp "sport = :$1" | head -n 1)
  [ -n "$line" ] || return 0
  pid=$(printf '%s' "$line" | sed -n 's/.*pid=\([0-9]*\).*/\1/p')
  case $(readlink "/proc/${pid:-none}/exe" || true) in "$home"/*) return 0 ;; esac
  program=$(printf '%s' "$line" | sed -n 's/.*users:(("\([^"]*\)".*/\1/p')
  printf '%s' "${program:-an unknown program}${pid:+ (process $pid)}"
}

unpack() {
  tar -xzf "$archive" -C "$work" --no-same-owner ||
    fail "the bundle cannot be unpacked to $home; the lines above say why" "Nothing was installed."
  fresh=$work/mooring-$version
  if [ "$(contents_of "$home/$version")" != "$(contents_of "$fresh")" ]; then
    # Otherwise a power failure could leave a folder without its contents.
    sync -f "$work"
    if [ -e "$home/$version" ]; then
      say "$home/$version differs from the bundle; replacing it"
      mv -T "$home/$version" "$work/damaged"
      # Lets the service start again with the files of the bundle.
      before_changes=''
    fi
    mv -T "$fresh" "$home/$version"
  fi
  ln -sfn "$version" "$home/.current"
  mv -T "$home/.current" "$home/current"
  sync "$home"
  ln -sfn "$home/current/bin/mooring" "$link"
}

# Names, kinds, rights, owners, targets and sums of everything in a folder, but the note of the updater.
contents_of() {
  [ -d "$1" ] || return 0
  (
    cd "$1"
    find . ! -path ./.bundle-sha256 -printf '%p %y %m %U %l\n' | sort
    find . -type f ! -path ./.bundle-sha256 -exec sha256sum {} + | sort
  ) | sha256sum
}

create_folders() {
  owner=root
  if [ "$runtime" = docker ]; then
    owner=mooring
    getent passwd mooring >/dev/null ||
      useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin mooring
    usermod --append --groups docker mooring
  fi
  mkdir -p "$data" "$updates" "$(dirname "$settings")"
  # Data that was kept from an installation with the other runtime, or that a command of root left.
  previous=root
  if [ $owner = root ]; then previous=mooring; fi
  if getent passwd $previous >/dev/null; then hand_over $previous $owner; fi
}

# Gives the service its files. Volumes, and folders that containers write to, stay as the apps left them.
hand_over() {
  # With another PATH, -execdir may refuse to run.
  PATH=/usr/sbin:/usr/bin:/sbin:/bin find "$data" \
    \( -path "$data/volumes/*/*/[!.]*" -o -path "$data/binds/*/*/*" -o -name lost+found \) -prune -o \
    -user "$1" -execdir chown -h --from="$1" "$2:$2" {} +
}

write_settings() {
  umask 027
  # A whole file or none, also if the disk is full.
  draft=$work/mooring.env
  if [ -f "$settings" ]; then
    cp -p "$settings" "$draft"
  else
    say "# Settings of Mooring; after a change: systemctl restart mooring" >"$draft"
  fi
  keep MOORING_DATA_DIR "$data"
  keep MOORING_RUNTIME "$runtime"
  keep MOORING_EDGE_PORT "$http_port"
  keep MOORING_EDGE_TLS_PORT "$https_port"
  if [ "$http_port" = 80 ]; then
    # Both protocols, where the machine has IPv6.
    if has_ipv6; then keep MOORING_EDGE_HOST ::; else keep MOORING_EDGE_HOST 0.0.0.0; fi
  else
    # A proxy of this machine has the public ports and the certificates.
    keep MOORING_EDGE_HOST 127.0.0.1
    keep MOORING_EDGE_PUBLIC_PORT 80
    keep MOORING_EDGE_PUBLIC_TLS_PORT 443
    keep MOORING_TRUSTED_PROXIES 127.0.0.1
    keep MOORING_ACME_DIRECTORY none
  fi
  if [ -n "$domain" ]; then
    keep MOORING_PUBLIC_URL "https://$domain"
    keep MOORING_BASE_DOMAIN "$domain"
  fi
  if [ -n "$email" ]; then keep MOORING_ACME_EMAIL "$email"; fi
  if [ -n "$public_address" ]; then keep MOORING_PUBLIC_ADDRESSES "$public_address"; fi
  if [ -n "$url" ]; then keep MOORING_UPDATE_URL "$url"; fi
  umask 022
  if [ "$runtime" = docker ]; then chgrp mooring "$draft"; fi
  chmod 640 "$draft"
  cp -p "$draft" "$settings.new" || {
    rm -f "$settings.new"
    fail "$settings cannot be written; the line above says why" "Run install.sh again afterwards."
  }
  sync "$settings.new"
  mv -T "$settings.new" "$settings"
}

# Adds a setting to the file. What is there already is the user's choice.
keep() {
  if ! grep -q "^$1=" "$draft"; then
    printf '%s=%s\n' "$1" "$2" >>"$draft"
  elif [ "$(setting "$1")" != "$2" ]; then
    say "$settings has $1=$(setting "$1"), which stays. To change it, edit the file."
  fi
}

place_units() {
  mkdir -p "$units/mooring.service.d"
  for unit in mooring.service mooring-update.service mooring-update.path; do
    cp "$home/current/units/$unit" "$units/$unit"
  done
  cp "$home/current/units/$runtime.conf" "$units/mooring.service.d/runtime.conf"
  systemctl daemon-reload
  systemctl enable --quiet mooring.service mooring-update.service mooring-update.path
  systemctl start mooring-update.path
}

start() {
  port=$(setting PORT)
  host=$(setting HOST)
  case $host in '' | 0.0.0.0 | ::) host=127.0.0.1 ;; esac
  address=http://$host:${port:-4600}
  began=$(date '+%Y-%m-%d %H:%M:%S')
  # A start prints a new set-up link while there is no owner.
  if [ "$(fingerprint)" = "$before_changes" ] && answers /api/auth/setup '"needed":false'; then return; fi
  systemctl restart mooring
  for _ in $(seq 120); do
    if answers /api/health '"ok"'; then return; fi
    sleep 0.5
  done
  journalctl -u mooring --since "$began" -o cat --no-pager | tail -n 20 >&2
  fail "Mooring does not respond at $address; its last log lines are above" "journalctl -u mooring shows the whole log."
}

# Everything that a running service has read.
fingerprint() { cat "$settings" "$units"/mooring.service "$units"/mooring.service.d/* 2>/dev/null | sha256sum; }

# Whether the service responds to a path with a text.
answers() {
  "$home/current/bin/node" -e '
    const [url, text] = process.argv.slice(1);
    fetch(url, { signal: AbortSignal.timeout(2000) })
      .then((answer) => answer.text())
      .then((body) => process.exit(body.includes(text) ? 0 : 1), () => process.exit(1))' "$address$1" "$2"
}

# Asks our own edge for the dashboard, with the certificates that this machine trusts.
has_certificate() {
  "$home/current/bin/node" --use-system-ca -e '
    const [host, port] = process.argv.slice(1);
    const where = { host: "127.0.0.1", port, servername: host, headers: { host }, path: "/api/health", timeout: 2000 };
    const request = require("node:https").get(where, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1));
    request.on("timeout", () => request.destroy()).on("error", () => process.exit(1))' "$1" "$2"
}

# A proxy serves the dashboard, so the edge gets no certificate for it.
is_behind_proxy() {
  case ,$(setting MOORING_TRUSTED_PROXIES), in
    *,127.0.0.1,* | *,::1,*) true ;;
    *) false ;;
  esac
}

report() {
  say "Mooring $version runs. Settings: $settings. Log: journalctl -u mooring. Commands: mooring --help"
  public=$(setting MOORING_PUBLIC_URL)
  public_address=$(setting MOORING_PUBLIC_ADDRESSES)
  if [ "$http_port" != 80 ]; then proxy_snippet; fi
  case $public in
    https://*)
      if [ "$http_port" = 80 ] && is_behind_proxy; then
        report_link "$public"
      else
        report_https "${public#https://}"
      fi
      ;;
    *) report_tunnel ;;
  esac
}

# The path of the set-up link that the service printed last; nothing if there is an owner.
setup_path() { journalctl -u mooring --since "$began" -o cat --no-pager | grep -o '/setup#code=[^ ]*' | tail -n 1; }

report_link() {
  path=$(setup_path)
  if [ -n "$path" ]; then say "Create the owner of this instance within a day (the link works once):"; fi
  say "  $1$path"
}

report_https() {
  if [ "$http_port" = 80 ]; then
    printf 'Waiting for the certificate of %s ' "$1"
    until=$(($(date +%s) + certificate_seconds))
    while [ "$(date +%s)" -lt "$until" ]; do
      if has_certificate "$1" "$https_port"; then
        say 'done'
        report_link "$public"
        return
      fi
      printf .
      sleep 1
    done
    say ''
    say "There is no certificate yet. Mooring goes on trying. It needs:"
    known=$(getent ahosts "$1" | awk '{ print $1 }' | sort -u | tr '\n' ' ')
    say "  - a DNS record of $1 with the address ${public_address:-of this machine} (now: ${known:-none})"
    say "  - ports 80 and 443 of this machine open to the internet"
    if [ -z "$public_address" ] && ! has_public_address; then
      say "  - this machine has only private addresses: forward the ports of its router, and run install.sh again with"
      say "    --public-address and the address of the router"
    fi
    say "Then open $public$(setup_path)"
  fi
  report_tunnel
}

report_tunnel() {
  here=${public_address%%,*}
  here=${here:-$(hostname -I | awk '{ print $1 }')}
  say "From your own computer, the dashboard is reachable through SSH:"
  say "  ssh -L 4600:${address#http://} root@${here:-<this machine>}"
  report_link http://127.0.0.1:4600
}

proxy_snippet() {
  name=${domain:-mooring.example.com}
  cat <<TEXT
Let the proxy of this machine forward the dashboard and apps, for example Caddy:

  $name {
    reverse_proxy 127.0.0.1:${port:-4600}
  }
  *.$name {
    reverse_proxy 127.0.0.1:$http_port
  }

or nginx, with a second server for *.$name and 127.0.0.1:$http_port:

  server {
    listen 443 ssl;                # with your certificates
    server_name $name;
    client_max_body_size 300m;
    location / {
      proxy_pass http://127.0.0.1:${port:-4600};
      proxy_http_version 1.1;
      proxy_set_header Host \$host;
      proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto \$scheme;
      proxy_set_header Upgrade \$http_upgrade;
      proxy_set_header Connection \$http_connection;
      proxy_buffering off;
    }
  }

TEXT
}

# At the end, so that a script that was cut off in the middle does nothing.
main "$@"
