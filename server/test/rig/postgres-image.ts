import { readdirSync } from 'node:fs';
import { debian, type ImageParts, node } from './docker-images.ts';

const version = (): string => readdirSync('/usr/lib/postgresql').toSorted().at(-1)!;

/** This machine's PostgreSQL as an image, with Node. It initializes an empty cluster in its volume and trusts
 * everyone on its network. */
export function postgresImage(): ImageParts {
  const programs = `/usr/lib/postgresql/${version()}/bin`;
  const start = `#!/bin/sh
set -e
test -s /data/cluster/PG_VERSION || { initdb -D /data/cluster -A trust -U shop >/dev/null; echo 'host all all all trust' >> /data/cluster/pg_hba.conf; }
exec postgres -D /data/cluster -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
`;
  return {
    ...debian,
    name: 'postgres:15',
    packages: [...debian.packages!, `postgresql-${version()}`, `postgresql-client-${version()}`],
    programs: { ...node.programs },
    files: { '/usr/local/bin/start-postgres': start },
    writable: ['/data'],
    changes: [
      `ENV PATH=${programs}:/usr/local/bin:/usr/bin:/bin`,
      'USER node',
      'VOLUME /data',
      'EXPOSE 5432',
      'ENTRYPOINT ["start-postgres"]',
    ],
  };
}
