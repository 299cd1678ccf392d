import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';

// Like nginx, it resolves the name when it reads its configuration: at its start and on SIGHUP.
const proxy = `#!/usr/local/bin/node
const [http, dns] = [require('node:http'), require('node:dns')];
let address;
const read = () => dns.lookup('api', { family: 4 }, (error, found) => { if (!error) address = found; else setTimeout(read, 100); });
read();
process.on('SIGHUP', read);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
const server = http.createServer((request, response) => {
  http.get({ host: address, port: 3000, agent: false, timeout: 2000 }, (answer) => answer.pipe(response))
    .on('error', (error) => { response.statusCode = 502; response.end(error.code); });
}).listen(3000);
`;

const source = (api: string) =>
  folderOf({
    'compose.yaml': `services:
  web:
    build: web
    ports: ["3000"]
    depends_on: [api]
  api:
    build: api
    expose: ["3000"]
`,
    'web/Dockerfile': `FROM ${node.name}\nCOPY --chmod=755 nginx /usr/local/bin/nginx\nCMD ["nginx"]\n`,
    'web/nginx': proxy,
    'api/Dockerfile': `FROM ${node.name}\nCOPY api.js /\nCMD ["node", "/api.js"]\n`,
    // It exits at once on SIGTERM and drops its open requests.
    'api/api.js': `process.on('SIGTERM', () => process.exit(0)); require('node:http').createServer((q, r) => setTimeout(() => r.end('${api}'), 20)).listen(3000);`,
  });

describe.runIf(has('docker'))('a proxy that resolves names once', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
    await makeImage(rig.docker.client, node);
  });
  afterAll(() => rig?.close());

  it('follows the service behind it without losing a request', async () => {
    const project = await ensureProject(rig.service, 'proxied');
    const first = await deploy(rig.service, project, source('v1'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('v1');
    const asking = askAllTheTime(url, 3);
    for (const version of ['v2', 'v3']) {
      expect((await deploy(rig.service, project, source(version))).error).toBeNull();
      expect((await ask(url)).body).toBe(version);
    }
    expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2', '200 v3']);
  });
});
