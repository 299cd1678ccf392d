import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBadLine } from '../../../../test/rig/bad-line.ts';
import { has } from '../../../../test/rig/parts.ts';
import { newSshKey } from '../../../../test/rig/ssh-key.ts';
import { contentOf, liveOptions, chunkedStream } from '../contract.ts';
import { testStorageContext } from '../storage-rig.ts';
import type { Storage, StorageContext, StorageValues } from '../storage.ts';
import { openSftp, sftpStorageKind } from './sftp.ts';
import { partsIn, type SftpMachine, startSftpMachine } from './sftp-rig.ts';

const hello = () => Readable.from(['hello']);
const said = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) as string });
const big = randomBytes(20_000_000);

describe.runIf(has('sshd'))('SFTP error messages', () => {
  let machine: SftpMachine;
  beforeAll(async () => {
    machine = await startSftpMachine();
  });
  afterAll(() => machine?.sshd.stop());

  const open = (changes: StorageValues = {}, context: Partial<StorageContext> = {}, stallMs = 15_000): Storage => {
    const storage = openSftp({ ...machine.values, ...changes }, testStorageContext(context), stallMs);
    onTestFinished(() => storage.close());
    return storage;
  };
  async function refusal(storage: Storage, body = hello()): Promise<{ code: string; message: string }> {
    const failure = storage.put('probe', body, liveOptions).then(
      () => Promise.reject(new Error('it worked')),
      (error: Error & { code: string }) => error,
    );
    const { code, message } = await failure;
    expect(message).not.toContain('PRIVATE KEY');
    return { code, message };
  }

  it('report a wrong key, a wrong password and an unreadable key', async () => {
    const other = newSshKey('opens it');
    expect(await refusal(open({ sftpPrivateKey: newSshKey().privateKey }))).toEqual(said('auth_failed', /rejects/));
    const password = { sftpPrivateKey: undefined, sftpPassword: 'wrong horse' };
    expect(await refusal(open(password))).toEqual(said('auth_failed', /rejects/));
    const locked = { sftpPrivateKey: other.privateKey, sftpKeyPassphrase: 'does not' };
    expect(await refusal(open(locked))).toEqual(said('misconfigured', /cannot be read/));
    machine.sshd.allow(other.publicKey);
    await open({ ...locked, sftpKeyPassphrase: 'opens it' }).put('fine', hello(), liveOptions);
    await expect(
      sftpStorageKind.open({ ...machine.values, sftpPrivateKey: undefined }, testStorageContext()),
    ).rejects.toMatchObject(said('misconfigured', /neither/));
  });

  it('report an unreachable, silent or forbidden host', async () => {
    expect(await refusal(open({ sshPort: 1 }))).toEqual(said('unreachable', /cannot be reached/));
    expect(await refusal(open({ sshHost: 'no-such-name.invalid' }))).toEqual(said('unreachable', /has no DNS record/));
    expect(await refusal(open({ sshHost: '169.254.169.254' }))).toEqual(said('misconfigured', /is refused: /));
    expect(await refusal(open({}, { reach: 'public' }))).toEqual(said('misconfigured', /is refused: /));
    const web = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    onTestFinished(() => void web.close());
    await new Promise((resolve) => web.once('listening', resolve));
    const { port } = web.address() as { port: number };
    expect(await refusal(open({ sshPort: port }))).toEqual(said('unreachable', /SSH|closed the connection/));
  });

  it('report a changed host key', async () => {
    const pinned: string[] = [];
    const onHostKey = async (key: string) => void pinned.push(key);
    const line = await startBadLine(machine.sshd.port);
    onTestFinished(() => line.stop());
    const storage = open({ sshPort: line.port }, { onHostKey });
    await Promise.all([storage.put('a', hello(), liveOptions), storage.put('b', hello(), liveOptions)]);
    expect(pinned).toEqual([expect.stringMatching(/^ssh-ed25519 AAAA/)]);
    await open({}, { hostKey: pinned[0], onHostKey }).put('a', hello(), liveOptions);
    await machine.sshd.changeHostKey();
    expect(await refusal(open({}, { hostKey: pinned[0], onHostKey }))).toEqual(
      said('auth_failed', /a different host key/),
    );
    // Also after a reconnect.
    line.cut = { afterBytes: 1, times: 1 };
    expect(await refusal(storage)).toEqual(said('auth_failed', /a different host key[^;]*$/));
    expect(pinned).toHaveLength(1);
  });

  it('report a read-only folder', async () => {
    const readOnly = await startSftpMachine({ sftpArguments: ['-R'] });
    onTestFinished(() => readOnly.sshd.stop());
    expect(await refusal(open(readOnly.values))).toEqual(said('permission_denied', /no permission to read or write/));
  });

  it('report a missing permission to delete', async () => {
    const keeping = await startSftpMachine({ sftpArguments: ['-P', 'remove'] });
    onTestFinished(() => keeping.sshd.stop());
    const storage = open(keeping.values);
    await storage.put('stays', hello(), liveOptions);
    await expect(storage.delete('stays', liveOptions)).rejects.toMatchObject(
      said('permission_denied', /has no permission/),
    );
    mkdirSync(join(keeping.sshd.sftpFolder, 'folder'));
    const failing = storage.put('folder', hello(), liveOptions);
    await expect(failing).rejects.toMatchObject({ message: expect.stringMatching(/could not be removed/) as string });
  });

  it('report a connection that breaks or freezes, in time and without leftovers', async () => {
    const line = await startBadLine(machine.sshd.port);
    onTestFinished(() => line.stop());
    const storage = open({ sshPort: line.port });
    line.cut = { afterBytes: 5_000_000, times: 1 };
    expect(await refusal(storage, chunkedStream(big))).toEqual(said('unreachable', /lost/));
    expect(partsIn(machine.sshd.sftpFolder)).toEqual([]);
    await storage.put('probe', chunkedStream(big), liveOptions);
    expect((await contentOf(storage, 'probe')).equals(big)).toBe(true);
    const waiting = open({ sshPort: line.port }, {}, 1_000);
    line.freezeAfterBytes = 5_000_000;
    const began = Date.now();
    expect(await refusal(waiting, chunkedStream(big))).toEqual(said('timeout', /has not responded for 1 s/));
    expect(Date.now() - began).toBeLessThan(15_000);
  });
});
