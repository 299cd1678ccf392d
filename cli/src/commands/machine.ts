import { defineCommand } from '../command.ts';
import { maintain } from '../maintenance.ts';

// For the owner of the machine that runs the service: these need no login and use its data folder.

const where = 'Works on the data folder of this machine (MOORING_DATA_DIR), even while Mooring runs. Needs no login.';

const rotateKey = defineCommand({
  name: 'key rotate',
  summary: 'Encrypt all stored secrets with a new instance key',
  description: where,
  async run({ out }) {
    const message = await maintain('rotate-key');
    out.print({ message }, () => message);
  },
});

const resetPassword = defineCommand({
  name: 'reset-password',
  parameters: ['<email>'],
  summary: 'Create a password reset link',
  description: where,
  async run({ args: [email = ''], out }) {
    const message = await maintain('reset-password', '--', email);
    out.print({ message, url: /https?:\/\/\S+/.exec(message)?.[0] ?? null }, () => message);
  },
});

const stop = defineCommand({
  name: 'stop',
  summary: 'Stop Mooring on this machine with its edge and its apps',
  description: `${where}\nDeployed apps start again with Mooring.`,
  async run({ out }) {
    const message = await maintain('stop');
    out.print({ message }, () => message);
  },
});

export const machineCommands = [rotateKey, resetPassword, stop];
