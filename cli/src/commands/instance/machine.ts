import { hostname } from 'node:os';
import { defineCommand } from '../../command.ts';
import { Failure } from '../../errors.ts';
import { maintenanceOutput, maintenanceJson } from '../../maintenance.ts';
import { promptText, isInteractive } from '../../prompt.ts';

// For the owner of the machine that runs the service: these need no login and use its data folder.

const where = 'Works on the data folder of this machine (MOORING_DATA_DIR), even while Mooring runs. Needs no login.';

const rotateKey = defineCommand({
  name: 'key rotate',
  summary: 'Encrypt all stored secrets with a new instance key',
  description: where,
  async run({ out }) {
    const message = await maintenanceOutput('rotate-key');
    out.print({ message }, () => message);
  },
});

const resetPassword = defineCommand({
  name: 'reset-password',
  parameters: ['<email>'],
  summary: 'Create a password reset link',
  description: where,
  async run({ args: [email = ''], out }) {
    const message = await maintenanceOutput('reset-password', '--', email);
    out.print({ message, url: /https?:\/\/\S+/.exec(message)?.[0] ?? null }, () => message);
  },
});

const stop = defineCommand({
  name: 'stop',
  summary: 'Stop Mooring on this machine with its edge and its apps',
  description: `${where}\nDeployed apps start again with Mooring.`,
  async run({ out }) {
    const message = await maintenanceOutput('stop');
    out.print({ message }, () => message);
  },
});

const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'Remove Mooring with its apps and its data from this machine',
  description:
    'Needs root, and a Mooring that was installed with install.sh. Apps on servers and installed packages stay.\n' +
    'Exits with 1 if something else is left, and says why.',
  options: {
    'keep-data': {
      type: 'boolean',
      help: 'keep the data folder, the settings and the volumes for a later installation',
    },
    'keep-apps': { type: 'boolean', help: 'keep the containers of apps running' },
    yes: { type: 'boolean', help: 'do not ask' },
  },
  async run({ values, out }) {
    if (!values.yes) await confirmRemoval(values['keep-data'] ?? false);
    const flags = (['keep-data', 'keep-apps'] as const).filter((name) => values[name]).map((name) => `--${name}`);
    type Uninstalled = { message: string; isComplete: boolean };
    const { message, isComplete } = await maintenanceJson<Uninstalled>('uninstall', ...flags);
    out.print({ message, isComplete }, () => message);
    if (!isComplete) process.exitCode = 1;
  },
});

async function confirmRemoval(isDataKept: boolean): Promise<void> {
  if (!isInteractive()) throw new Failure('there is no terminal to confirm on; add --yes');
  const what = isDataKept ? 'Mooring and its apps' : 'Mooring, its apps and all of their data';
  if ((await promptText(`This removes ${what}. Type the host name ${hostname()} to continue`)) !== hostname())
    throw new Failure('nothing was removed');
}

type Finding = { check: string; level: 'ok' | 'warning' | 'problem'; message: string; fix?: string };

const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check this machine and Mooring on it, with a fix for each problem',
  description: `${where}\nChecks ports, DNS, certificate, disk, engine, clock, file rights, version and backups.\nExits with 1 if there is a problem.`,
  async run({ out }) {
    const { message, findings } = await maintenanceJson<{ message: string; findings: Finding[] }>('doctor');
    out.print({ findings }, () => message);
    if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1;
  },
});

export const machineCommands = [rotateKey, resetPassword, stop, doctor, uninstall];
