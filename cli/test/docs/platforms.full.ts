import { afterAll, beforeAll, describe } from 'vitest';
import { has } from '../../../server/test/rig/parts.ts';
import { until } from '../../../server/test/rig/until.ts';
import { runPage } from './page.ts';
import { type ServerStage, startServerStage } from './server-stage.ts';

const image = 'ghcr.io/acme/shop:1.4';

describe.runIf(has('docker') && has('sshd') && has('compose'))('migration from another platform', () => {
  let rig: ServerStage;
  beforeAll(async () => {
    rig = await startServerStage([image]);
  }, 300_000);
  afterAll(() => rig?.close());

  const up = (folder: string, file: object) => {
    const path = `${folder}/docker-compose.yml`;
    rig.ssh(`mkdir -p ${folder} && cat > ${path} && docker compose -f ${path} up -d`, JSON.stringify(file));
  };
  /** Has ports 80 and 443, and hands everything to one container. */
  const proxy = (name: string, network: string, target: string) =>
    rig.ssh(
      `docker run -d --name ${name} --network ${network} -p 80:80 -p 443:443 --restart unless-stopped ${image} node -e "require('http').createServer((q, s) => require('http').get('http://${target}:8080' + q.url, { headers: q.headers }, (a) => a.pipe(s)).on('error', () => s.writeHead(502).end())).listen(80)"`,
    );

  describe('coolify', () => {
    beforeAll(async () => {
      rig.ssh('docker network create coolify');
      const networks = { coolify: { external: true } };
      const labels = (type: string, name: string) => ({
        'coolify.managed': 'true',
        'coolify.type': type,
        'coolify.resourceName': name,
        'coolify.projectName': 'acme',
        'coolify.environmentName': 'production',
      });
      const route = { 'traefik.enable': 'true', 'traefik.http.routers.http-0.rule': 'Host(`shop.example.com`)' };
      const common = { networks: ['coolify'], restart: 'unless-stopped' };
      const [database, app] = ['e8cs4ck0', 's4ow0cgk-071530'];
      up(`/srv/coolify/databases/${database}`, {
        networks,
        services: {
          [database]: {
            ...common,
            image: 'redis:7',
            container_name: database,
            volumes: [`redis-data-${database}:/data`],
            labels: labels('database', 'cache'),
          },
        },
        volumes: { [`redis-data-${database}`]: { name: `redis-data-${database}` } },
      });
      up('/srv/coolify/applications/s4ow0cgk', {
        networks,
        services: {
          [app]: {
            ...common,
            image,
            container_name: app,
            environment: { DB_HOST: database },
            labels: { ...labels('application', 'shop'), ...route },
          },
        },
      });
      proxy('coolify-proxy', 'coolify', app);
      await until('it answers', async () => (await fetch(`http://${rig.server.address}`)).ok);
    }, 120_000);

    runPage('guides/migrate-from-coolify.md', () => rig.stage);
  });
});
