import { open, rm } from 'node:fs/promises';
import { unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { plainText, shortTime } from '../../output.ts';

const list = defineCommand({
  name: 'backup key list',
  summary: 'List the keys of project backups, newest first',
  description: 'New archives are encrypted with the newest key. All keys decrypt.',
  async run({ out, instance }) {
    const client = signedInClient(instance());
    const { data } = await unwrap(client.GET('/api/backup-keys'));
    out.list(data, [
      { heading: 'RECIPIENT', value: ({ recipient }) => recipient },
      { heading: 'CREATED', value: ({ createdAt }) => shortTime(createdAt) },
      { heading: 'EXPORTED', value: ({ exportedAt }) => shortTime(exportedAt, 'never') },
    ]);
    if (data.some(({ exportedAt }) => exportedAt === null))
      out.warn(
        'A key was never exported. If Mooring is lost, so is every backup that it encrypts: mooring backup key export',
      );
  },
});

const exportKeys = defineCommand({
  name: 'backup key export',
  summary: 'Export the keys of project backups to a file, to store it elsewhere',
  description: [
    'Whoever has the file can read every backup of the organization.',
    'Without it, encrypted backups are lost if Mooring is: keep it where neither Mooring nor the backups are.',
  ].join('\n'),
  options: { to: { type: 'string', value: '<file>', help: 'default: backup-keys.txt in this folder' } },
  async run({ values, out, instance }) {
    const client = signedInClient(instance());
    const to = values.to ?? 'backup-keys.txt';
    // Opened first, so that a key counts as exported only if there is a place for it.
    const file = await open(to, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new Failure(
        error.code === 'EEXIST' ? `${to} exists already; choose another file with --to` : error.message,
      );
    });
    try {
      const { data } = await unwrap(client.POST('/api/backup-keys/export'));
      await file.writeFile(data.identities);
      await file.sync();
    } catch (error) {
      await rm(to, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    out.print({ file: to }, () => `The backup keys are written to ${plainText(to)}.`);
    out.warn('Keep this file apart from Mooring and from the backups, such as in a password manager.');
    out.warn('Without it nobody can restore encrypted backups if Mooring is lost. Whoever has it can read them all.');
  },
});

const rotate = defineCommand({
  name: 'backup key rotate',
  summary: 'Encrypt new project backups with a new key',
  description: 'Earlier keys stay, because earlier backups need them. Export the keys again afterwards.',
  async run({ out, instance }) {
    const client = signedInClient(instance());
    const { data } = await unwrap(client.POST('/api/backup-keys/rotate'));
    out.print(data, () => `New backups are encrypted with ${data.recipient}.`);
    out.warn('Export the keys again, and keep the file apart from Mooring: mooring backup key export');
  },
});

export const backupKeyCommands = [list, exportKeys, rotate];
