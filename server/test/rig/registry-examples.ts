import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from './children.ts';
import { ask, begin, ended, ensureProject, events } from './deploy.ts';
import { startAsOrdinaryUser } from './ordinary-user.ts';
import { type Service, startService } from './service.ts';

const examples = join(import.meta.dirname, '../../../examples');

/** Trusts the machine's own certificate authority for the registry, if it has one. */
export const trust = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'NODE_EXTRA_CA_CERTS') as [string, string][],
);

const users = [
  ['root', startAsRoot],
  ['an ordinary user', startAsOrdinaryUser],
] as const;
export const startable = users.filter(([name]) => name !== 'root' || process.getuid?.() === 0);

/** Uses a data folder of version 0.1.0, which closed `homes` to the users of projects. */
function startAsRoot(env: Record<string, string>): Promise<Service> {
  const dataDir = newFolder('data');
  mkdirSync(join(dataDir, 'homes'), { mode: 0o700 });
  return startService({ env, dataDir });
}

const beginExample = async (service: Service, name: string): Promise<string> =>
  begin(service, await ensureProject(service, name), join(examples, name));

/** Returns the response at the deployment's address, once it is ready. */
async function answerOf(service: Service, id: string): Promise<{ status: number; body: string }> {
  const { error, urls } = await ended(service, id, 100_000);
  const lines = error ? (await events(service, id)).map(({ data }) => data['line']).filter(Boolean) : [];
  expect(error, lines.slice(-30).join('\n')).toBeNull();
  return ask(urls[0]!);
}

/** Deploys both concurrently: most of the time they wait for the registry. */
export function deploysBoth(start: () => Promise<Service>): void {
  let service: Service;
  let ids: { express: string; vite: string };
  beforeAll(async () => {
    service = await start();
    ids = { express: await beginExample(service, 'express-npm'), vite: await beginExample(service, 'vite-site') };
  });
  afterAll(() => service?.stop());

  it('installs an Express app with a lock file', async () => {
    const { status, body } = await answerOf(service, ids.express);
    expect(status).toBe(200);
    expect(body).toContain('Hello from Express');
  }, 120_000);

  it('builds a site with Vite', async () => {
    const { status, body } = await answerOf(service, ids.vite);
    expect(status).toBe(200);
    expect(body).toMatch(/assets\/index-[\w-]+\.js/);
  }, 120_000);
}
