import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { makeImage } from '../../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../../server/test/rig/docker-service.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { freePort } from '../../../server/test/rig/ports.ts';
import { postgresImage } from '../../../server/test/rig/postgres-image.ts';
import { redisImage } from '../../../server/test/rig/redis-image.ts';
import { runPage } from './page.ts';

/** As the official image: user, database and password come from variables. */
function officialPostgres() {
  const image = postgresImage();
  const start = `#!/bin/sh
set -e
test -s $PGDATA/PG_VERSION || { echo "$POSTGRES_PASSWORD" > /tmp/password; initdb -D $PGDATA -A scram-sha-256 --pwfile=/tmp/password -U "$POSTGRES_USER" >/dev/null; echo 'host all all all scram-sha-256' >> $PGDATA/pg_hba.conf; }
exec postgres -D $PGDATA -c listen_addresses='*' -c unix_socket_directories=/tmp
`;
  const changes = image.changes!.map((line) => (line === 'VOLUME /data' ? 'VOLUME /var/lib/postgresql/data' : line));
  return {
    ...image,
    name: 'postgres:17',
    files: { '/usr/local/bin/start-postgres': start },
    writable: ['/var/lib/postgresql/data'],
    changes: [...changes, 'ENV PGDATA=/var/lib/postgresql/data/pgdata PGHOST=/tmp'],
  };
}

describe.runIf(has('docker') && has('postgres'))('guides with Docker', () => {
  let rig: DockerService;
  let edgePort: string;
  beforeAll(async () => {
    edgePort = String(await freePort());
    rig = await startDockerService({ MOORING_EDGE_PORT: edgePort, MOORING_START_TIMEOUT: '60' });
    for (const image of [redisImage(), officialPostgres()]) await makeImage(rig.docker.client, image);
  }, 240_000);
  afterAll(() => rig?.close(), 120_000);
  const stage = () => ({
    values: [['4680', edgePort] as [string, string]],
    env: { MOORING_URL: rig.service.url, MOORING_TOKEN: ownerToken },
  });
  for (const page of ['compose', 'databases']) runPage(`guides/${page}.md`, stage);
});
