import { Failure, UsageError } from '../../errors.ts';
import { defineCommand } from '../../command.ts';
import { maintenanceJson } from '../../maintenance.ts';
import { confirm, isInteractive } from '../../prompt.ts';

// Backups of the instance itself, for the owner of the machine that runs it.

const where = 'Run it on the machine that runs Mooring as root or as the user of the service. Needs no login.';

const backupInstance = defineCommand({
  name: 'backup instance',
  summary: 'Back up Mooring itself: database, keys, sources and releases',
  options: {
    to: { type: 'string', value: '<file>', help: 'file or folder; default: backups/instance in the data folder' },
    destination: { type: 'string', value: '<name>', help: 'backup destination of the instance owner' },
    'with-volumes': { type: 'boolean', help: 'also back up volumes of apps that run as processes' },
  },
  description: `${where}\nThe archive is consistent while Mooring runs, and encrypted: see mooring backup key.`,
  async run({ values, out }) {
    if (values.to && values.destination) throw new UsageError('use --to or --destination, not both');
    const args = [
      ...(values.to ? ['--to', values.to] : []),
      ...(values.destination ? ['--destination', values.destination] : []),
      ...(values['with-volumes'] ? ['--with-volumes'] : []),
    ];
    const made = await maintenanceJson<{ message: string }>('backup-instance', ...args);
    out.print(made, () => made.message);
  },
});

const backupKey = defineCommand({
  name: 'backup key',
  summary: 'Print the key of instance backups, to store it elsewhere',
  description: `${where}\nWithout this key nobody can restore an instance backup.`,
  async run({ out }) {
    const { message: key } = await maintenanceJson<{ message: string }>('backup-key');
    out.print({ key }, () => key);
  },
});

const restoreInstance = defineCommand({
  name: 'restore instance',
  parameters: ['<file>'],
  summary: 'Restore Mooring from an instance backup',
  options: {
    key: { type: 'string', value: '<file>', help: 'file with the backup key; default: backup.key in the data folder' },
    replace: { type: 'boolean', help: 'move the instance that is there aside' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  description: `${where}\nStop the service first. Nothing is changed unless the whole backup is intact.`,
  async run({ args: [file = ''], values, out }) {
    const question = `Restore ${file} on this machine?${values.replace ? ' The instance that is there is moved aside.' : ''}`;
    if (!values.yes && !isInteractive()) throw new Failure('use --yes to restore without a question');
    if (!values.yes && !(await confirm(question))) throw new Failure('nothing was changed');
    const options = [...(values.key ? ['--key', values.key] : []), ...(values.replace ? ['--replace'] : [])];
    const restored = await maintenanceJson<{ message: string }>('restore-instance', ...options, '--', file);
    out.print(restored, () => restored.message);
  },
});

export const instanceBackupCommands = [backupInstance, backupKey, restoreInstance];
