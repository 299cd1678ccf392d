import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { AppError } from '../errors.ts';
import { detectFolder } from './in-thread.ts';

function nodeApp(): string {
  const folder = newFolder('app');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: 'node server.js' } }));
  writeFileSync(join(folder, 'server.js'), 'require("node:fs").writeFileSync("data.json", "{}")');
  return folder;
}

it('returns the result of the detection', async () => {
  expect(await detectFolder(nodeApp())).toMatchObject({ framework: 'node', startCommand: 'npm run start' });
});

it('terminates a slow thread, reports it, and continues with a new one', async () => {
  // Within the limits, but expensive: every pattern is expanded over every folder.
  const folder = newFolder('slow');
  for (let i = 0; i < 300; i++) mkdirSync(join(folder, `package-with-a-long-name-${i}`));
  const workspaces = [
    ...Array.from({ length: 500 }, (_, i) => `*a*-${i}*`),
    ...Array.from({ length: 499 }, (_, i) => `!*x${i}`),
  ];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ workspaces }));
  const began = performance.now();
  const failure = await detectFolder(folder, '', 20).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AppError);
  expect((failure as Error).message).toMatch(/^detecting the app took longer than 0.02 s and was stopped/);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(await detectFolder(nodeApp())).toMatchObject({ framework: 'node' });
});

it('passes on user-facing errors', async () => {
  const folder = newFolder('patterns');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ workspaces: Array(20_000).fill('a/*') }));
  await expect(detectFolder(folder)).rejects.toThrow(
    'workspaces of package.json has 20000 patterns; at most 1000 are supported',
  );
});
