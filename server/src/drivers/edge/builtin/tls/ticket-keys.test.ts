import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { ticketKeys } from './ticket-keys.ts';

it('uses old or unsaved session ticket keys while new ones cannot be written', async () => {
  const folder = newFolder('tickets');
  const draft = join(folder, '.ticket-draft');
  mkdirSync(draft);
  expect(await ticketKeys(folder, true)).toHaveLength(48);
  rmdirSync(draft);
  const saved = await ticketKeys(folder, true);
  expect(await ticketKeys(folder, true)).toEqual(saved);
  utimesSync(join(folder, '.ticket-keys'), 0, 0);
  mkdirSync(draft);
  expect(await ticketKeys(folder, true)).toEqual(saved);
  rmdirSync(draft);
  expect(await ticketKeys(folder, true)).not.toEqual(saved);
});
