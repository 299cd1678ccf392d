import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { environmentForCommands, withInstalledSettings } from './environment-file.ts';

const file = join(newFolder('settings'), 'mooring.env');
writeFileSync(file, 'MOORING_DATA_DIR=/var/lib/mooring\nHTTPS_PROXY=http://proxy:3128\n');
const shell = {
  PATH: '/bin',
  MOORING_DATA_DIR: '/root/test',
  DATABASE_URL: 'postgres://other',
  HTTPS_PROXY: 'http://old',
};

it('a command of the installed program has the settings of the service, whatever the shell has', () => {
  expect(withInstalledSettings(shell, { isInstalled: true, file })).toEqual({
    PATH: '/bin',
    MOORING_DATA_DIR: '/var/lib/mooring',
    HTTPS_PROXY: 'http://proxy:3128',
  });
});

it('a command that the service starts has the settings of the service', () => {
  const ofService = environmentForCommands({
    MOORING_DATA_DIR: '/var/lib/mooring',
    DATABASE_URL: 'postgres://drop-in',
  });
  expect(withInstalledSettings(ofService, { isInstalled: true, file })).toMatchObject({
    MOORING_DATA_DIR: '/var/lib/mooring',
    DATABASE_URL: 'postgres://drop-in',
  });
});

it('in a checkout, and without an installation, the variables of the shell win', () => {
  expect(withInstalledSettings(shell, { isInstalled: false, file })).toEqual(shell);
  expect(withInstalledSettings(shell, { isInstalled: true, file: '/nonexistent' })).toEqual(shell);
});
