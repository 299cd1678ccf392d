import { afterAll, beforeAll, describe } from 'vitest';
import { has } from '../../../server/test/rig/parts.ts';
import { until } from '../../../server/test/rig/until.ts';
import { runPage } from './page.ts';
import { type ServerStage, startServerStage } from './server-stage.ts';

const [shop, forum, wiki] = ['ghcr.io/acme/shop:1.4', 'ghcr.io/acme/forum:2', 'img-captain-wiki:3'];

/** Each platform starts things as it does for its users, with their labels; then somebody leaves it. */
describe.runIf(has('docker') && has('sshd') && has('compose'))('migration from another platform', () => {
  let rig: ServerStage;
  beforeAll(async () => {
    rig = await startServerStage([shop, forum, wiki]);
  }, 300_000);
  afterAll(() => rig?.close());

  /** As one argument of a shell. */
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const labelsOf = (labels: Record<string, string>) =>
    Object.entries(labels)
      .map(([key, value]) => `--label ${quoted(`${key}=${value}`)}`)
      .join(' ');
  const traefik = (host: string) => ({ 'traefik.enable': 'true', 'traefik.http.routers.x.rule': `Host(\`${host}\`)` });
  /** Hands everything to one container. */
  const proxyTo = (target: string) =>
    `node -e ${quoted(`
      const http = require('node:http');
      http.createServer((question, answer) => {
        const { url: path, headers } = question;
        http.get({ host: '${target}', port: 8080, path, headers }, (got) => got.pipe(answer.writeHead(got.statusCode)))
          .on('error', () => answer.writeHead(502).end());
      }).listen(80);
      process.on('SIGTERM', () => process.exit(0));`)}`;
  const answers = () =>
    until('the app answers', async () => (await fetch(`http://${rig.server.address}`)).status === 200, 60_000);

  describe('coolify', () => {
    beforeAll(async () => {
      const up = (folder: string, file: object) => {
        const path = `/srv/coolify/${folder}/docker-compose.yml`;
        const services = `mkdir -p /srv/coolify/${folder} && cat > ${path} && docker compose -f ${path} up -d`;
        rig.ssh(services, JSON.stringify({ networks: { coolify: { external: true } }, ...file }));
      };
      const labels = (type: string, name: string) => ({
        'coolify.managed': 'true',
        'coolify.type': type,
        'coolify.resourceName': name,
        'coolify.serviceName': name,
        'coolify.projectName': 'acme',
        'coolify.environmentName': 'production',
      });
      const common = { networks: ['coolify'], restart: 'unless-stopped' };
      const [database, app] = ['e8cs4ck0', 's4ow0cgk-071530'];
      const data = `redis-data-${database}`;
      rig.ssh('docker network create coolify');
      const redis = { image: 'redis:7', container_name: database, volumes: [`${data}:/data`] };
      up(`databases/${database}`, {
        services: { [database]: { ...common, ...redis, labels: labels('database', 'cache') } },
        volumes: { [data]: { name: data } },
      });
      const web = { image: shop, container_name: app, environment: { DB_HOST: database } };
      const own = { ...labels('application', 'shop'), ...traefik('shop.example.com') };
      up('applications/s4ow0cgk', { services: { [app]: { ...common, ...web, labels: own } } });
      rig.ssh(`docker run -d --name coolify-proxy --network coolify -p 80:80 -p 443:443 ${shop} ${proxyTo(app)}`);
      await answers();
    });
    afterAll(() => void rig.ssh('docker rm -f coolify-proxy'));

    runPage('guides/migrate-from-coolify.md', () => rig.stage);
  });

  describe('dokploy', () => {
    beforeAll(async () => {
      const folder = '/etc/dokploy/compose/forum-a1b2c3/code';
      const labels = (service: string) => ({
        'com.docker.compose.project': 'forum-a1b2c3',
        'com.docker.compose.service': service,
        'com.docker.compose.project.working_dir': folder,
        'com.docker.compose.project.config_files': `${folder}/docker-compose.yml`,
      });
      const run = (service: string, more: string, name: string, own: Record<string, string> = {}) =>
        rig.ssh(
          `docker run -d --name forum-a1b2c3-${service}-1 --network dokploy-network --network-alias ${service} ` +
            `--restart unless-stopped ${labelsOf({ ...labels(service), ...own })} ${more} ${name}`,
        );
      rig.ssh('docker network create dokploy-network');
      run('db', '-v forum-a1b2c3_data:/data', 'redis:7');
      run('web', '', forum, traefik('forum.example.com'));
      const proxy = 'docker run -d --name dokploy-traefik --network dokploy-network -p 80:80 -p 443:443';
      rig.ssh(`${proxy} ${forum} ${proxyTo('forum-a1b2c3-web-1')}`);
      await answers();
    });
    afterAll(() => void rig.ssh('docker rm -f dokploy-traefik'));

    runPage('guides/migrate-from-dokploy.md', () => rig.stage);
  });

  describe('caprover', () => {
    beforeAll(async () => {
      const network = 'captain-overlay-network';
      const create = `docker service create --detach --no-resolve-image --endpoint-mode dnsrr --network ${network}`;
      rig.ssh(`docker swarm init --advertise-addr ${rig.server.address}`);
      rig.ssh(`docker network create --driver overlay --attachable ${network}`);
      const mount = '--mount type=volume,source=captain--wiki-data,target=/data';
      rig.ssh(`${create} --name srv-captain--wiki ${mount} ${wiki}`);
      const ports = [80, 443].map((port) => `--publish mode=host,published=${port},target=${port}`).join(' ');
      rig.ssh(`${create} --name captain-nginx ${ports} ${wiki} ${proxyTo('srv-captain--wiki')}`);
      await answers();
    });

    runPage('guides/migrate-from-caprover.md', () => rig.stage);
  });
});
