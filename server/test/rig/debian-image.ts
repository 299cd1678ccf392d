import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';

const cache = join(import.meta.dirname, '../../../node_modules/.cache');
const mirror = 'http://deb.debian.org/debian';

/** An image of another Debian release than that of this machine. */
export interface DebianImage {
  name: string;
  suite: string;
  packages: string[];
  /** Instructions as in a Dockerfile. */
  changes: string[];
}

/** Downloads the packages once, and creates the image in the engine. */
export async function makeDebianImage(client: EngineClient, { name, suite, packages, changes }: DebianImage) {
  const tree = join(cache, `${[suite, ...packages].join('-')}.tar`);
  if (!existsSync(tree)) {
    mkdirSync(cache, { recursive: true });
    const include = `--include=${packages.join()}`;
    const options = ['--quiet', '--variant=minbase', '--aptopt=Acquire::Check-Valid-Until "false"', include];
    execFileSync('mmdebstrap', [...options, suite, `${tree}.new.tar`, mirror], { stdio: ['ignore', 'ignore', 'pipe'] });
    renameSync(`${tree}.new.tar`, tree);
  }
  const [repo, tag] = name.split(':') as [string, string];
  const query = { fromSrc: '-', repo, tag, changes: changes.join('\n') };
  const body = createReadStream(tree);
  const said = await text(
    await client.open({ method: 'POST', path: '/images/create', query, body, deadlineMs: 300_000 }),
  );
  if (said.includes('"error"')) throw new Error(`the image was not made: ${said}`);
}

/** Valkey, which persists in /data. */
export const valkeyData: DebianImage = {
  name: 'valkey:8',
  suite: 'trixie',
  packages: ['valkey-server'],
  changes: ['WORKDIR /data', 'VOLUME /data', 'CMD ["valkey-server"]'],
};

const startMysql = `set -e; data=/var/lib/mysql/data; run="mysqld --no-defaults --user=root --datadir=$data --socket=/run/mysqld/mysqld.sock --mysqlx=OFF --secure-file-priv=NULL"
mkdir -p /run/mysqld
if ! test -d $data/mysql; then
  mysqld --no-defaults --user=root --initialize-insecure --datadir=$data
  $run --skip-networking & until mysqladmin --no-defaults -uroot -S/run/mysqld/mysqld.sock ping >/dev/null 2>&1; do sleep 0.1; done
  echo "CREATE DATABASE $MYSQL_DATABASE; ALTER USER root@localhost IDENTIFIED BY '$MYSQL_ROOT_PASSWORD'" | mysql --no-defaults -uroot -S/run/mysqld/mysqld.sock
  MYSQL_PWD=$MYSQL_ROOT_PASSWORD mysqladmin --no-defaults -uroot -S/run/mysqld/mysqld.sock shutdown; wait
fi
exec $run --event-scheduler=ON`;

export const mysqlData: DebianImage = {
  name: 'mysql:9',
  suite: 'sid',
  packages: ['mysql-server-core', 'mysql-client-core'],
  changes: ['VOLUME /var/lib/mysql', `ENTRYPOINT ${JSON.stringify(['sh', '-c', startMysql])}`],
};
