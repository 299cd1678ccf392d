import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../server/test/rig/until.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

let service: Service;
const ada = new Person();
const folder = join(ada.home, 'club');
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
  // The settings of a Django project beside an app that needs no packages.
  const settings = [
    "MEDIA_ROOT = BASE_DIR / 'media'",
    "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3',",
    "  'NAME': BASE_DIR / 'db.sqlite3'}}",
  ];
  const files = {
    'package.json': '{"scripts": {"start": "node server.js"}}',
    'manage.py': '',
    'club/settings.py': settings.join('\n'),
    Procfile: 'release: node migrate.js\n',
    'migrate.js': 'console.log("migrated");',
    'server.js': `require('node:fs').writeFileSync('db.sqlite3', '');
      require('node:http').createServer((_, response) => response.end('x')).listen(process.env.PORT);`,
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
});

const ofDatabase =
  'Django keeps its SQLite database in db.sqlite3, beside the code: it is lost with the next deployment.';
const ofMedia = 'Django keeps uploads in media. Files written there are lost with the next deployment. Add a volume';

test('plan of a folder that was never deployed shows what was detected, and creates no project', async () => {
  const { code, stdout } = await ada.run(['plan', folder]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^The project club does not exist yet: mooring deploy creates it, at http:\/\/club\.localhost:\d+\n\nDetected:\n/,
    ),
  });
  expect(stdout).toMatch(
    /\n {2}Before each release: node migrate\.js\n {2}Start with: npm run start\n\nSERVICE.*\napp +new/,
  );
  expect(stdout).toContain(`\n\n${ofDatabase} Move it`);
  expect(stdout).toContain(`\n${ofMedia} after the first deployment: mooring volume add club media media\n`);
  expect(await ada.json(['plan', folder])).toMatchObject({
    newProject: { name: 'club', slug: 'club' },
    detection: { startCommand: 'npm run start' },
    services: [{ name: 'app', change: 'create' }],
  });
  expect(await ada.json(['projects'])).toEqual([]);
  expect((await ada.run(['plan', folder, '--git'])).stderr).toContain('no project is called club');
  const empty = join(ada.home, 'notes');
  mkdirSync(empty);
  writeFileSync(join(empty, 'notes.unknown'), '');
  expect((await ada.run(['plan', empty])).stdout).toMatch(
    /Detected:\n {2}Nothing to build or start was recognized.*\n$/,
  );
});

test('deploy and plan warn about data that no volume keeps', async () => {
  const first = await ada.run(['deploy', folder]);
  expect(first).toMatchObject({ code: 0 });
  const end = first.stderr.slice(first.stderr.indexOf('✓ route'));
  expect(end).toContain(`${ofDatabase} Move it`);
  expect(end).toContain(`${ofMedia} to keep them: mooring volume add club media media\n`);
  expect(await ada.run(['volume', 'add', 'club', 'db', 'db.sqlite3'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('db.sqlite3 is the name of a file. Mount the folder that contains the file'),
  });
  expect(await ada.run(['volume', 'add', 'club', 'media', 'media'])).toMatchObject({ code: 0 });

  servedForAMinute();
  const atRisk = "1 file (db.sqlite3) in the app's folder will be lost with the next deployment.";
  await until('the file is found', async () => (await ada.run(['plan', folder])).stdout.includes(atRisk), 30_000);
  const { stdout } = await ada.run(['plan', folder]);
  expect(stdout).toContain(`\n${ofDatabase}`);
  expect(stdout).not.toContain(ofMedia);
  const second = await ada.run(['deploy', folder]);
  expect(second.stderr.slice(0, second.stderr.indexOf('Uploading'))).toContain(`\n${atRisk}`);
  expect(second.stderr).not.toContain(ofMedia);
}, 120_000);

test('rollback names the release command whose changes stay', async () => {
  const { code, stderr } = await ada.run(['rollback', 'club']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(
      '\nThe database and volumes are not rolled back: node migrate.js ran since that release.\nDeployment dep_',
    ),
  });
  const [newest] = await ada.json<{ id: string }[]>(['deployments', '--project', 'club']);
  expect((await ada.run(['deploy', folder])).code).toBe(0);
  const typist = new Typist(ada, ['rollback', newest!.id]);
  expect(await typist.end()).toBe(0);
  expect(typist.screen).toContain('\u001b[33mThe database and volumes are not rolled back');
}, 120_000);

/** Mooring looks for stray files once a release has served for a minute. */
function servedForAMinute(): void {
  const database = new DatabaseSync(join(service.dataDir, 'mooring.db'), { timeout: 5000 });
  database.exec('UPDATE deployments SET finished_at = finished_at - 61000 WHERE active = 1');
  database.close();
}
