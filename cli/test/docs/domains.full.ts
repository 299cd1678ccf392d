import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { selfSigned } from '../../../server/test/rig/certificate.ts';
import { newFolder } from '../../../server/test/rig/children.ts';
import { deploy, ensureProject, folderOf, json } from '../../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../../server/test/rig/docker-service.ts';
import { type NameServer, startNameServer } from '../../../server/test/rig/name-server.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../server/test/rig/pebble.ts';
import { freePort } from '../../../server/test/rig/ports.ts';
import { secondOrganization } from '../../../server/test/rig/second-organization.ts';
import { until } from '../../../server/test/rig/until.ts';
import { runPage } from './page.ts';

const serviceThatSays = (text: string) => ({
  image: node.name,
  command: ['node', '-e', `require('node:http').createServer((_, answer) => answer.end('${text}\\n')).listen(8080)`],
  ports: ['8080'],
});
const compose = { services: { web: serviceThatSays('Hello from web'), api: serviceThatSays('Hello from api') } };

describe.runIf(has('docker') && has('pebble'))('domains', () => {
  let rig: DockerService;
  let dns: NameServer;
  let pebble: Pebble;
  let shop: string;
  const known = new Map([['www.example.com', ['127.0.0.1']]]);
  const [files, home] = [newFolder('files'), newFolder('curl')];
  const ports = { http: 0, https: 0 };
  beforeAll(async () => {
    Object.assign(ports, { http: await freePort(), https: await freePort() });
    pebble = await startPebble({ httpPort: ports.http });
    dns = await startNameServer((name) => known.get(name) ?? []);
    rig = await startDockerService({
      MOORING_EDGE_PORT: String(ports.http),
      MOORING_EDGE_TLS_PORT: String(ports.https),
      MOORING_PUBLIC_ADDRESSES: '203.0.113.7',
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: dns.address,
    });
    await makeImage(rig.docker.client, node);
    shop = await ensureProject(rig.service, 'shop');
    const made = await deploy(rig.service, shop, folderOf({ 'compose.yaml': JSON.stringify(compose) }));
    if (made.status !== 'ready') throw new Error(JSON.stringify(made));
    const stranger = await secondOrganization(rig.service);
    const theirs = await ensureProject(stranger, 'theirs');
    await json(stranger.post(`/api/projects/${theirs}/domains`, { name: 'acme.example' }));
    const own = selfSigned('shop.example.com', 60);
    writeFileSync(join(files, 'fullchain.pem'), own.cert);
    writeFileSync(join(files, 'privkey.pem'), own.key);
    writeFileSync(join(home, 'root.pem'), await pebble.root());
    writeFileSync(join(home, '.curlrc'), `connect-to = "::127.0.0.1:"\ncacert = "${join(home, 'root.pem')}"\nsilent\n`);
  }, 300_000);
  afterAll(async () => {
    await rig?.close();
    await pebble?.stop();
    await dns?.stop();
  });

  type Shown = { data: { name: string; certificate: object | null }[] };
  const issued = (name: string) =>
    until(`${name} has a certificate`, async () => {
      const { data } = await json<Shown>(rig.service.get(`/api/projects/${shop}/domains`));
      return data.find((each) => each.name === name)?.certificate;
    });
  /** Creates the record that the command asks for. */
  const prove = async () => {
    const path = `/api/projects/${shop}/domains`;
    const said = await (await rig.service.post(path, { name: 'acme.example' })).text();
    const [, value = ''] = /with the value (\S+)/.exec(said) ?? [];
    dns.texts.set('_mooring.acme.example', [value]);
  };

  runPage('guides/domains.md', () => ({
    folder: files,
    values: ['shop.example.com', 'www.example.com'].flatMap((name) => [
      [`https://${name}`, `https://${name}:${ports.https}`] as [string, string],
      [`http://${name}`, `http://${name}:${ports.http}`] as [string, string],
    ]),
    env: { MOORING_URL: rig.service.url, MOORING_TOKEN: ownerToken, CURL_HOME: home },
    before: {
      'mooring domain check shop shop.example.com': async () => known.set('shop.example.com', ['127.0.0.1']),
      'curl https://shop.example.com': () => issued('shop.example.com'),
      'curl -sI https://www.example.com/cart': () => issued('www.example.com'),
      'mooring domain renew shop.example.com': () => issued('shop.example.com'),
      'mooring domain add shop acme.example': prove,
    },
  }));
});
