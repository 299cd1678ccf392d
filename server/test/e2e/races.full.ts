import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, deploy, ended, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';

const isRoot = process.getuid?.() === 0;

/** A program that swaps the folder `a` and a symlink `l` in its folder as fast as it can. */
const swapping = (folder: string, target: string) => `
const fs = require('node:fs');
process.chdir(${JSON.stringify(folder)});
const attempt = (act) => { try { act(); return true; } catch { return false; } };
const make = () => {
  for (const name of ['a', 'l', 't']) attempt(() => fs.rmSync(name, { recursive: true, force: true }));
  attempt(() => { fs.mkdirSync('a/b', { recursive: true }); for (let i = 0; i < 20; i++) fs.writeFileSync('a/v' + i, 'mine'); });
  attempt(() => fs.writeFileSync('a/secret.key', 'mine'));
  attempt(() => fs.symlinkSync(${JSON.stringify(target)}, 'l'));
};
make();
const swap = () => { fs.renameSync('a', 't'); fs.renameSync('l', 'a'); fs.renameSync('a', 'l'); fs.renameSync('t', 'a'); };
`;
const forEver = 'for (;;) if (!attempt(swap)) make();';
const inTheBackground = 'setInterval(() => { for (let i = 0; i < 2000; i++) if (!attempt(swap)) make(); }, 0);';

describe('a release that changes during our operations', () => {
  let service: Service;
  let victim: string;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn', MOORING_START_TIMEOUT: '3' } });
    victim = join(service.dataDir, 'victim');
    mkdirSync(victim, { mode: 0o700 });
    for (let i = 0; i < 20; i++) writeFileSync(join(victim, `v${i}`), 'x');
  });
  afterAll(() => service.stop());

  it('is removed at any depth, and its deployment ends', async () => {
    const deep = `node -e "for (let i = 0; i < 3000; i++) { require('fs').mkdirSync('dddd'); process.chdir('dddd') }"; exit 1`;
    const project = await ensureProject(service, 'deep', { buildCommand: deep });
    const { id, error } = await deploy(service, project, folderOf({ 'index.html': 'x' }));
    expect(error).toMatchObject({ code: 'build_failed' });
    expect(readdirSync(join(service.dataDir, 'releases'))).not.toContain(id);
  });

  it('cannot make us remove foreign files', async () => {
    const project = await ensureProject(service, 'removed', { startCommand: 'node swap.js' });
    for (let round = 0; round < 2; round++) {
      const failed = await deploy(service, project, folderOf({ 'swap.js': swapping('.', victim) + forEver }));
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'check_failed' } });
      expect(readdirSync(victim)).toHaveLength(20);
    }
  });

  it.runIf(isRoot)('cannot make the edge serve foreign files', async () => {
    const project = await ensureProject(service, 'served');
    const files = { 'index.html': 'x', 'a/secret.key': 'mine' };
    const site = await deploy(service, project, folderOf(files), { environment: 'site' });
    const folder = join(service.dataDir, 'releases', site.id);
    // Where apps cannot see each other's folders, the attack fails earlier.
    const attack = `try { ${swapping(folder, service.dataDir)} ${inTheBackground} } catch (error) { console.log(error.code); }`;
    const app = nodeApp('app', attack);
    await ensureProject(service, 'served', { startCommand: 'node server.js' });
    expect((await deploy(service, project, app, { environment: 'app' })).error).toBeNull();
    const key = readFileSync(join(service.dataDir, 'secret.key'), 'utf8').trim();
    for (let i = 0; i < 1000; i++) expect((await ask(site.urls[0]!, '/a/secret.key')).body.includes(key)).toBe(false);
  });

  it.runIf(isRoot)('cannot make us chown foreign files', async () => {
    const project = await ensureProject(service, 'given', { startCommand: 'node server.js' });
    const files = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`many/${i % 50}/${i}`, 'x']));
    const serverOf = (folder: string) => readFileSync(join(folder, 'server.js'), 'utf8');
    const held = await begin(
      service,
      project,
      folderOf({ ...files, 'a/x': 'x', 'server.js': serverOf(nodeApp('v2')) }),
      {
        autoStart: false,
      },
    );
    const folder = join(service.dataDir, 'releases', held);
    const waiting = `
const timer = setInterval(() => { try { process.chdir(${JSON.stringify(folder)}); fs.writeFileSync('probe', ''); clearInterval(timer); } catch { return; }
${swapping(folder, victim).replace("const fs = require('node:fs');", '')} ${inTheBackground} }, 0);`;
    const first = await deploy(service, project, nodeApp('v1', `const fs = require('node:fs');${waiting}`));
    expect(first.error).toBeNull();
    await json(service.post(`/api/deployments/${held}/build`, {}));
    await ended(service, held);
    for (const name of readdirSync(victim)) expect(statSync(join(victim, name)).uid).toBe(0);
  });
});
