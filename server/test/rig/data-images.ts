import { readdirSync } from 'node:fs';
import { debian, type ImageParts, node } from './docker-images.ts';

// Databases of this machine as images that behave like the official ones: variables, volumes, and a server that first
// listens on its socket only.

const postgresFolder = (): string => `/usr/lib/postgresql/${readdirSync('/usr/lib/postgresql').toSorted().at(-1)!}`;

const startPostgres = `#!/bin/sh
set -e
data=/var/lib/postgresql/data/pgdata
if ! test -s $data/PG_VERSION; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=scram-sha-256 --auth-host=scram-sha-256 -E UTF8 --no-sync >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  pg_ctl -D $data -w start -o "-c listen_addresses=''" >/dev/null
  PGPASSWORD=$POSTGRES_PASSWORD psql -U "$POSTGRES_USER" -d postgres -q -c "CREATE DATABASE \\"$POSTGRES_DB\\""
  pg_ctl -D $data -w -m fast stop >/dev/null
fi
exec postgres -D $data -c listen_addresses='*' "$@"
`;

/** A PostgreSQL that asks everyone for a password. */
export const postgresData = (): ImageParts => {
  const folder = postgresFolder();
  const version = folder.split('/').at(-1)!;
  return {
    ...debian,
    name: 'postgres:15',
    packages: [...debian.packages!, `postgresql-${version}`, `postgresql-client-${version}`],
    programs: { ...node.programs },
    files: { '/usr/local/bin/start-postgres': startPostgres },
    writable: ['/var/lib/postgresql/data', '/run/postgresql'],
    changes: [
      `ENV PATH=${folder}/bin:/usr/local/bin:/usr/bin:/bin`,
      'USER node',
      'VOLUME /var/lib/postgresql/data',
      'ENTRYPOINT ["start-postgres"]',
    ],
  };
};

const startMariadb = `#!/bin/sh
set -e
data=/var/lib/mysql/data
if ! test -d $data/mysql; then
  mariadb-install-db --no-defaults --datadir=$data --auth-root-authentication-method=normal --skip-test-db --rpm >/dev/null
  mariadbd --no-defaults --datadir=$data --socket=/run/mysqld/mysqld.sock --skip-networking --pid-file=/tmp/pid &
  until mariadb-admin --no-defaults --user=root ping >/dev/null 2>&1; do sleep 0.1; done
  mariadb --no-defaults --user=root <<SQL
CREATE DATABASE $MARIADB_DATABASE;
ALTER USER root@localhost IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';
DELETE FROM mysql.global_priv WHERE User = '';
SQL
  MYSQL_PWD=$MARIADB_ROOT_PASSWORD mariadb-admin --no-defaults --user=root shutdown
  wait
fi
exec mariadbd --no-defaults --datadir=$data --socket=/run/mysqld/mysqld.sock --pid-file=/tmp/pid --event-scheduler=ON
`;

export const mariadbData = (): ImageParts => ({
  ...debian,
  name: 'mariadb:10',
  packages: [...debian.packages!, 'mariadb-server-core', 'mariadb-client'],
  programs: { ...node.programs },
  files: { '/usr/local/bin/start-mariadb': startMariadb },
  writable: ['/var/lib/mysql', '/run/mysqld'],
  changes: [
    'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin',
    'USER node',
    'VOLUME /var/lib/mysql',
    'ENTRYPOINT ["start-mariadb"]',
  ],
});

/** Redis with both ways to persist: an RDB file, and an append-only file if the command asks for one. */
export const redisData = (): ImageParts => ({
  name: 'redis:7',
  programs: {
    ...node.programs,
    '/usr/local/bin/redis-server': '/usr/bin/redis-server',
    '/usr/local/bin/redis-cli': '/usr/bin/redis-cli',
  },
  writable: ['/data'],
  changes: ['USER node', 'WORKDIR /data', 'VOLUME /data', 'CMD ["redis-server"]'],
});
