#!/bin/sh
# Continues as the user mooring, with the group of the engine's socket and the right to listen on ports below 1024.
set -eu

if [ "$(id -u)" != 0 ]; then exec "$@"; fi
data=${MOORING_DATA_DIR:-/var/lib/mooring}
socket=${DOCKER_HOST:-unix:///var/run/docker.sock}
socket=${socket#unix://}
[ -S "$socket" ] || { echo "mooring: $socket is missing; mount the socket of the Docker engine there" >&2; exit 1; }
mkdir -p "$data"
chown mooring:mooring "$data"
caps=-all,+net_bind_service
exec setpriv --reuid=mooring --regid=mooring --groups="$(stat -c %g "$socket")" \
  --inh-caps=$caps --ambient-caps=$caps --bounding-set=$caps --no-new-privs -- "$@"
