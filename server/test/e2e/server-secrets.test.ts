import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSshKey } from '../../src/lib/ssh-key.ts';
import { ownerToken } from '../rig/app.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { newSshKey as newLockedKey } from '../rig/ssh-key.ts';
import { startSshd, type Sshd } from '../rig/sshd.ts';

const person = { name: 'harbour', uid: 61_502, password: randomBytes(12).toString('hex') };

describe.runIf(has('sshd'))('the credentials of a server', () => {
  let service: Service;
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd({ people: [person] });
    service = await startService({ env: { MOORING_LOG_LEVEL: 'debug', MOORING_SSH_TIMEOUT: '15' } });
  });
  afterAll(async () => {
    await service?.stop();
    await sshd?.stop();
  });

  it('are in no response, log, file or argument, whether it succeeds or fails', async () => {
    const { privateKey } = newSshKey('ada');
    const keyLine = privateKey.split('\n')[3]!;
    const wrong = randomBytes(12).toString('hex');
    const answers: string[] = [];
    const keep = async (answer: Promise<Response>) => {
      const text = await (await answer).text();
      answers.push(text);
      return JSON.parse(text) as { data: { id: string; ok: boolean; code?: string } };
    };
    const attempt = Date.now();
    const add = ({ name, ...more }: { name: string; [field: string]: unknown }) =>
      keep(
        service.post('/api/servers', {
          name: `${name} ${attempt}`,
          host: '127.0.0.1',
          port: sshd.port,
          user: person.name,
          ...more,
        }),
      );
    const works = (await add({ name: 'works', password: person.password })).data.id;
    const passphrase = randomBytes(12).toString('hex');
    const locked = newLockedKey(passphrase);
    sshd.allow(locked.publicKey);
    const opened = (await add({ name: 'locked', privateKey: locked.privateKey, passphrase })).data.id;
    const fails = (await add({ name: 'fails', password: wrong, privateKey })).data.id;
    expect(await add({ name: 'bad port', port: 0, password: wrong, privateKey })).toMatchObject({ success: false });
    expect(await add({ name: 'bad key', privateKey: privateKey.replace('b3Bl', 'AAAA') })).toMatchObject({
      success: false,
    });
    expect((await keep(service.post(`/api/servers/${works}/test`, {}))).data).toMatchObject({ ok: true });
    expect((await keep(service.post(`/api/servers/${opened}/test`, {}))).data).toMatchObject({ ok: true });
    expect((await keep(service.post(`/api/servers/${fails}/test`, {}))).data).toMatchObject({ code: 'auth_failed' });
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' };
    const change = { method: 'PATCH', headers, body: JSON.stringify({ password: wrong, hostKey: null }) };
    await keep(fetch(`${service.url}/api/servers/${works}`, change));
    for (const path of ['/api/servers', `/api/servers/${fails}`, '/api/audit?limit=100']) await keep(service.get(path));
    const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const places = [
      ...answers,
      service.output(),
      ...files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')),
      readFileSync(`/proc/${service.child.pid}/cmdline`, 'latin1'),
    ];
    for (const secret of [person.password, wrong, keyLine, passphrase, locked.privateKey.split('\n')[3]!])
      expect(places.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200))).toEqual([]);
    expect(service.output()).toContain('/api/servers');
  });
});
