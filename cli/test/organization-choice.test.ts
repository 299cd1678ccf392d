import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Person, Typist } from './mooring.ts';
import { owner, type Service, startService } from './service.ts';

let service: Service;
const ada = new Person();
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
  await ada.json(['api', '/api/organizations', '-d', '{"name":"Side project"}']);
});
afterAll(async () => {
  ada.leave();
  await service.stop();
});

test('with several organizations one must be chosen', async () => {
  const choosing = (...more: string[]) =>
    ada.run(['login', service.url, '--email', owner.email, '--password-stdin', ...more], { stdin: owner.password });
  expect(await choosing()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('choose one with --organization'),
  });
  expect(await choosing('--organization', 'Nowhere')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Side project (org_'),
  });
  expect(await choosing('--organization', 'side project')).toMatchObject({ code: 0 });
  expect(await ada.json(['whoami'])).toMatchObject({ organization: { name: 'Side project' } });
});

describe.skipIf(!existsSync('/usr/bin/script'))('on a terminal', () => {
  test('the person is prompted, and the password is not echoed', async () => {
    const typist = new Typist(ada, ['login']);
    await typist.answer('Instance [', service.url);
    await typist.answer('E-mail', owner.email);
    await typist.answer('Password', owner.password);
    await typist.answer('Organization [1]', '3');
    await typist.answer('Enter a number', '1');
    expect(await typist.end()).toBe(0);
    expect(typist.screen).toContain('as \u001b[1mada@example.com');
    expect(typist.screen).not.toContain(owner.password);
  });

  test('Ctrl-C at a prompt exits with 130 and leaves no session', async () => {
    const typist = new Typist(ada, ['login', service.url, '--email', owner.email]);
    await typist.answer('Password', owner.password);
    await typist.answer('Organization [1]', '\u0003');
    expect(await typist.end()).toBe(130);
    const [newest] = await ada.json<{ action: string }[]>(['audit', '--action', 'session.', '--limit', '1']);
    expect(newest).toMatchObject({ action: 'session.ended' });
  });
});
