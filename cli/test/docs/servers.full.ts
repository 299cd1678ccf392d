import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { newFolder } from '../../../server/test/rig/children.ts';
import { json } from '../../../server/test/rig/deploy.ts';
import { makeImage } from '../../../server/test/rig/docker-images.ts';
import { nodeBase } from '../../../server/test/rig/docker-service.ts';
import { type ManagedServer, startManagedServer } from '../../../server/test/rig/managed-server.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { type Service, startService } from '../../../server/test/rig/service.ts';
import { runPage, type Stage } from './page.ts';

describe.runIf(has('docker') && has('sshd'))('a server', () => {
  let server: ManagedServer;
  let service: Service;
  beforeAll(async () => {
    server = await startManagedServer('web', [], { port: 22 });
    await makeImage(server.docker.client, nodeBase());
    service = await startService({ env: { MOORING_ACME_DIRECTORY: 'none', MOORING_START_TIMEOUT: '20' } });
    // Stands for another machine.
    await json(service.post('/api/servers', { name: 'web2', kind: 'this_machine' }));
  });
  afterAll(async () => {
    await service?.stop();
    await server?.close();
  });

  type Listed<T> = { data: T[] };
  const allowKey = async () => {
    const { data } = await json<Listed<{ name: string; publicKey: string }>>(service.get('/api/servers'));
    server.sshd.allow(data.find(({ name }) => name === 'web')!.publicKey);
  };

  runPage('guides/servers.md', () => {
    const curlHome = newFolder('curl');
    writeFileSync(join(curlHome, '.curlrc'), `resolve = "shop.apps.example.com:80:${server.address}"\n`);
    const stage: Stage = {
      values: [['203.0.113.7', server.address]],
      env: { MOORING_URL: service.url, MOORING_TOKEN: ownerToken, CURL_HOME: curlHome },
      before: {
        'mooring server test web': allowKey,
        'mooring server test web || echo "exit code $?"': () => server.sshd.changeHostKey(),
        'mooring deployments --project shop': async () => {
          await allowKey();
          const { data } = await json<Listed<{ id: string; active: boolean }>>(service.get('/api/deployments'));
          stage.values!.push(['dep_4kq2x9', data.find(({ active }) => active)!.id]);
        },
      },
    };
    return stage;
  });
});
