import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { oauthApp } from '../../server/test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../server/test/rig/githost.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { Person } from './mooring.ts';
import { startService } from './service.ts';

const ada = new Person();
let port: number;
let host: GitHostRig;
let service: Awaited<ReturnType<typeof startService>> | undefined;
beforeAll(async () => {
  port = await freePort();
  host = await startGitHost({ redirectUris: [`http://127.0.0.1:${port}/api/githost/connect/redirect`] });
});
afterEach(() => service?.stop());
afterAll(async () => {
  ada.leave();
  await host.stop();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  const nowhere = { GITHOST_CLI: '/nowhere/gh', MOORING_LOG_LEVEL: 'debug' };
  service = await startService({ PORT: String(port), GITHOST_URL: host.webUrl, ...nowhere, ...env });
  await ada.logIn(service.url);
}

/** Returns the stderr output once it matches the pattern. */
async function said(child: ReturnType<Person['start']>, pattern: RegExp): Promise<string> {
  let text = '';
  child.stderr!.setEncoding('utf8');
  while (!pattern.test(text)) text += String((await once(child.stderr!, 'data'))[0]);
  return pattern.exec(text)![1]!;
}

test('an account is connected in a browser while the command waits', async () => {
  await start({ GITHOST_CLIENT_ID: oauthApp.clientId, GITHOST_CLIENT_SECRET: oauthApp.clientSecret });
  expect((await ada.run(['githost', 'status'])).stdout).toContain('is not connected');
  expect((await ada.run(['githost', 'repos'])).stderr).toContain('no account of the git host is connected');
  expect(await ada.json(['githost', 'connect', '--no-wait'])).toMatchObject({ connected: false, flow: 'redirect' });
  const waiting = ada.start(['githost', 'connect']);
  const ended = once(waiting, 'close');
  const address = await said(waiting, /(http:\S+authorize\S+)\n/);
  const back = await host.gaps.signIns.agree(address, 'octo');
  expect((await fetch(back)).status).toBe(200);
  expect((await ended)[0]).toBe(0);
  expect(await ada.json(['githost', 'status'])).toMatchObject({ state: 'connected' });
  expect((await ada.run(['githost', 'status'])).stdout).toMatch(/octo +user +oauth/);
  const list = await ada.json<{ fullName: string }[]>(['githost', 'repos', 'team']);
  expect(list.map(({ fullName }) => fullName).toSorted()).toEqual(['team/docs', 'team/shop']);
  expect((await ada.run(['githost', 'connect'])).stdout).toContain('Connected: octo, team');
  const [code, state] = ['code', 'state'].map((name) => back.searchParams.get(name)!);
  for (const secret of [code!, state!, oauthApp.clientSecret, 'gho_']) expect(service!.output()).not.toContain(secret);
  expect(service!.output(), 'it does say what it does').toContain('/api/githost/connect/redirect');
  expect((await ada.run(['githost', 'disconnect', '--source', 'app'])).code).toBe(2);
  expect((await ada.run(['githost', 'disconnect'])).stdout).toBe('Disconnected: oauth.\n');
  expect((await ada.run(['githost', 'disconnect'])).stdout).toContain('Nothing was connected');
}, 60_000);

test('an account is connected by a device code, or declined', async () => {
  await start({ GITHOST_CLIENT_ID: oauthApp.clientId });
  for (const holder of [undefined, { real: 'gho_octo_0123456789abcdef', login: 'octo' }]) {
    const waiting = ada.start(['githost', 'connect', '--source', 'oauth']);
    const ended = once(waiting, 'close');
    host.gaps.signIns.flows.decide(await said(waiting, /([0-9A-F]{4}-[0-9A-F]{4})/), holder);
    expect((await ended)[0]).toBe(holder ? 0 : 1);
  }
  expect(await ada.json(['githost', 'status'])).toMatchObject({ state: 'connected' });
}, 60_000);

test('without a connection the command says what to set up', async () => {
  await start();
  const refused = await ada.run(['githost', 'connect']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('GITHOST_CLIENT_ID') });
  expect((await ada.run(['githost', 'connect', '--source', 'ssh'])).code).toBe(2);
});
