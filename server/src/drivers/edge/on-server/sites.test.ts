import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { project } from '../../../../test/rig/edge.ts';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import type { EdgeProject } from '../edge.ts';
import { ServerSites } from './sites.ts';

/** A server that returns forged data and records what it receives. */
function hostile(origins: object) {
  const got: string[] = [];
  const control = {
    ask: async (operation: string) => (operation === 'origins' ? origins : operation === 'hasSite' ? false : null),
  } as unknown as ConstructorParameters<typeof ServerSites>[1];
  const container = {
    put: async (entries: Iterable<WrittenEntry>) => void got.push(...[...entries].map(({ path }) => path)),
  } as unknown as ConstructorParameters<typeof ServerSites>[0];
  return { sites: new ServerSites(container, control), got };
}

const folderOf = ({ routes: [route] }: EdgeProject) => (route!.target as { folder: string }).folder;

it('uploads no local folder that a server claims as one of its sites', async () => {
  const secret = newFolder('secret');
  writeFileSync(join(secret, 'key'), 'SECRET');
  const claimed = { folder: secret, within: null };
  const { sites, got } = hostile({ site: claimed, unknown: claimed });
  for (const folder of ['/data/sites/site/files', secret, '/data/sites/../../etc/files', '']) {
    const said = project('a.localhost', 'dep_1', { type: 'static', folder, fallback: null, within: secret });
    const recalled = await sites.recall(said);
    expect(JSON.stringify(recalled)).not.toContain(secret);
    await sites.send(recalled);
  }
  expect(got).toEqual([]);
});

it('maps a site that it has sent back to its local folder', async () => {
  const folder = newFolder('site');
  writeFileSync(join(folder, 'index.html'), 'home');
  const { sites, got } = hostile({});
  const pointed = project('a.localhost', 'dep_1', { type: 'static', folder, fallback: null, within: folder });
  const sent = await sites.send(pointed);
  expect(folderOf(sent)).toMatch(/^\/data\/sites\/\w+\/files$/);
  expect(got.some((path) => path.endsWith('/index.html'))).toBe(true);
  expect(await sites.recall(sent)).toEqual(pointed);
});

it('uses a site that another replica has sent, and rejects invalid names', async () => {
  const folder = join(newFolder('gone'), 'release');
  const pointed = project('a.localhost', 'dep_1', { type: 'static', folder, fallback: null });
  const there = hostile({ sent: { folder, within: null } });
  expect(folderOf(await there.sites.send(pointed))).toBe('/data/sites/sent/files');
  for (const origins of [{}, { '../up': { folder, within: null } }])
    await expect(hostile(origins).sites.send(pointed)).rejects.toThrow(/release no longer exists/);
});
