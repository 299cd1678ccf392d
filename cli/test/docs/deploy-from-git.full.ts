import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { type DeploymentJson, folderOf, json } from '../../../server/test/rig/deploy.ts';
import { announcePush, startGitHostService } from '../../../server/test/rig/githost-service.ts';
import { type GitHostRig, startGitHost } from '../../../server/test/rig/githost.ts';
import { type GitServer, startGitServer } from '../../../server/test/rig/git-server.ts';
import type { Killable } from '../../../server/test/rig/killable.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { type Sshd, startSshd } from '../../../server/test/rig/sshd.ts';
import { until } from '../../../server/test/rig/until.ts';
import { runPage, type Stage } from './page.ts';

const app = (name: string) =>
  folderOf({
    'package.json': JSON.stringify({ name, scripts: { start: 'node server.js' } }),
    'server.js': "require('node:http').createServer((_, answer) => answer.end('Hello\\n')).listen(process.env.PORT);",
  });

describe.runIf(has('sshd'))('git', () => {
  let host: GitHostRig;
  let other: GitServer;
  let sshd: Sshd;
  let service: Killable;
  beforeAll(async () => {
    [host, other, sshd] = await Promise.all([startGitHost(), startGitServer(), startSshd()]);
    host.git.push('team/shop', app('shop'), 'One');
    other.push('team/docs', app('docs'), 'One');
    other.push('team/wiki', app('wiki'), 'One');
    service = await startGitHostService(host, { MOORING_PUSH_POLL_SECONDS: '2' });
  });
  afterAll(async () => {
    await service?.now.stop();
    await Promise.all([host?.stop(), other?.stop(), sshd?.stop()]);
  });

  type Listed<T> = { data: T[] };
  const get = async <T>(path: string) => (await json<Listed<T>>(service.now.get(path))).data;
  const pushIsLive = () =>
    until(
      'the push is deployed',
      async () =>
        (await get<DeploymentJson & { trigger: string }>('/api/deployments')).find(
          ({ active, trigger }) => active && trigger === 'push',
        ),
      60_000,
    );

  runPage('guides/deploy-from-git.md', () => {
    const stage: Stage = {
      values: [
        ['git@github.com:acme/shop.git', host.git.folder('team/shop')],
        ['acme/shop', 'team/shop'],
        ['https://git.example.com/docs.git', other.url('team/docs')],
        ['git@git.example.com:wiki.git', `ssh://${sshd.user}@127.0.0.1:${sshd.port}${other.folder('team/wiki')}`],
      ],
      env: { MOORING_URL: service.now.url, MOORING_TOKEN: ownerToken },
      before: {
        'mooring deployments --project shop': pushIsLive,
        'mooring webhook deliveries': async () => {
          const secret = host.gaps.secrets.get(`${service.now.url}/api/webhooks/githost`)!;
          const [{ commitSha } = { commitSha: null }] = await get<DeploymentJson>('/api/deployments');
          await announcePush(host, service.now.url, { before: commitSha!, after: commitSha! }, secret);
        },
        'mooring webhook replay dlv_4kq2x9': async () => {
          const handled = await until('a delivery is there', async () => {
            const all = await get<{ id: string; event: string; status: string }>('/api/githost/deliveries');
            return all.find(({ event, status }) => event === 'push' && status !== 'received');
          });
          stage.values!.push(['dlv_4kq2x9', handled!.id]);
        },
        'mooring deploy --git --project wiki': async () => {
          const wiki = (await get<{ id: string; name: string }>('/api/projects')).find(({ name }) => name === 'wiki')!;
          const path = `/api/projects/${wiki.id}/deploy-key`;
          sshd.allow((await json<{ data: { publicKey: string } }>(service.now.get(path))).data.publicKey);
        },
      },
    };
    return stage;
  });

  runPage('guides/connect-github.md', () => ({
    values: [
      ['githost repos acme', 'githost repos team'],
      ['acme/shop', 'team/shop'],
    ],
    env: { MOORING_URL: service.now.url, MOORING_TOKEN: ownerToken },
    elsewhere: { 'mooring githost connect --source app': 'cli/test/githost.full.ts' },
  }));
});
