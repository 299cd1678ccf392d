import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { has } from '../../../../test/rig/parts.ts';
import { SshPool } from '../../ssh/pool.ts';
import { contentOf, keysOf, liveOptions, storageContract } from '../contract.ts';
import { platformServerKind } from '../platform-server.ts';
import { withPrefix } from '../prefix.ts';
import { testStorageContext } from '../storage-rig.ts';
import { sftpStorageKind } from './sftp.ts';
import { partsIn, startSftpMachine } from './sftp-rig.ts';

describe.runIf(has('sshd'))('on OpenSSH', () => {
  storageContract('sftp on OpenSSH', async () => {
    const { sshd, values } = await startSftpMachine();
    const storage = await sftpStorageKind.open(values, testStorageContext());
    return {
      storage: withPrefix(storage, 'in the/start folder'),
      leftovers: async () => partsIn(sshd.sftpFolder),
      elsewhere: { kind: 'sftp', values, prefix: 'in the/start folder' },
      async close() {
        await storage.close();
        await sshd.stop();
      },
    };
  });

  storageContract('platform_server on OpenSSH', async () => {
    const { sshd, values } = await startSftpMachine();
    const pool = new SshPool();
    const { sshUser: user, sftpPrivateKey: privateKey } = values as Record<string, string>;
    const target = { host: '127.0.0.1', port: sshd.port, user: user!, privateKey, reach: 'private' as const };
    const context = testStorageContext({
      serverOf: async (id) =>
        id === 'srv_1' ? { name: 'one', use: (task, options) => pool.use('one', target, task, options) } : undefined,
    });
    const storage = await platformServerKind.open({ serverId: 'srv_1' }, context);
    await storage.put('where', Readable.from(['here']), liveOptions);
    expect(readFileSync(join(sshd.sftpFolder, 'mooring-backups/where'), 'utf8')).toBe('here');
    await storage.delete('where', liveOptions);
    await expect(platformServerKind.open({ serverId: 'srv_2' }, context)).rejects.toMatchObject({
      code: 'misconfigured',
    });
    return {
      storage,
      leftovers: async () => partsIn(sshd.sftpFolder),
      elsewhere: { kind: 'sftp', values, prefix: 'mooring-backups' },
      async close() {
        pool.close();
        await sshd.stop();
      },
    };
  });

  it('resolves a prefix with a leading slash from the root of the server', async () => {
    const { sshd, values } = await startSftpMachine();
    onTestFinished(() => sshd.stop());
    const storage = await sftpStorageKind.open(values, testStorageContext());
    onTestFinished(() => storage.close());
    const folder = newFolder('elsewhere');
    const [absolute, relative] = [withPrefix(storage, `${folder}/deep/`), withPrefix(storage, 'deep')];
    await absolute.put('a/b', Readable.from(['absolute']), liveOptions);
    await relative.put('a/b', Readable.from(['relative']), liveOptions);
    expect(readFileSync(join(folder, 'deep/a/b'), 'utf8')).toBe('absolute');
    expect(readFileSync(join(sshd.sftpFolder, 'deep/a/b'), 'utf8')).toBe('relative');
    expect(await keysOf(absolute)).toEqual(['a/b']);
    expect(String(await contentOf(absolute, 'a/b'))).toBe('absolute');
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });
});

describe('platform server that is this machine', () => {
  storageContract('platform_server on this machine', async () => {
    const folder = join(newFolder('machine'), 'not/there/yet');
    const context = testStorageContext({ serverOf: async () => ({ name: 'this machine', folder }) });
    return {
      storage: await platformServerKind.open({ serverId: 'srv_1' }, context),
      leftovers: async () => partsIn(folder),
      elsewhere: { kind: 'local', values: { endpoint: folder }, localRoot: folder },
      close: async () => {},
    };
  });
});
