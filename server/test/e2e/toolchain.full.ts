import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, ended, ensureProject, events, folderOf, json } from '../rig/deploy.ts';
import { operators, placeOf } from '../rig/operators.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { isReachable } from '../rig/way-out.ts';

const hasRegistry = await isReachable('https://registry.npmjs.org/npm');
const authority = process.env['NODE_EXTRA_CA_CERTS'];
const env: Record<string, string> = authority ? { NODE_EXTRA_CA_CERTS: authority } : {};

const note = (file: string) =>
  `node -e "require('fs').writeFileSync('${file}', process.version + ' ' + (process.env.npm_config_user_agent || ''))"`;

/** Answers with the versions that built it, that ran its release command, and that run it. */
const app = (fields: object, files: Record<string, string> = {}): string =>
  folderOf({
    'package.json': JSON.stringify({
      name: 'app',
      version: '1.0.0',
      private: true,
      scripts: { build: note('built'), start: 'node server.js' },
      dependencies: { '@node-rs/argon2': '2.0.2' },
      ...fields,
    }),
    'server.js': `const { readFileSync } = require('node:fs');
const { hashSync } = require('@node-rs/argon2');
require('node:http').createServer((request, response) => response.end(JSON.stringify({
  native: hashSync('x').slice(0, 9), built: readFileSync('built', 'utf8'), released: readFileSync('released', 'utf8'),
  runs: process.version,
}))).listen(process.env.PORT, process.env.HOST);`,
    ...files,
  });

const toolsOf = ({ dataDir }: Service): string => join(dataDir, 'tools', process.arch);

describe.runIf(hasRegistry)('apps without Docker get the tools that they ask for', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env });
  });
  afterAll(() => service?.stop());

  const deployed = async (name: string, folder: string, fields: object = {}) => {
    const project = await ensureProject(service, name, { releaseCommand: note('released'), ...fields });
    const id = await begin(service, project, folder);
    const { error, urls } = await ended(service, id, 280_000);
    const lines = (await events(service, id)).map(({ data }) => data['line']).filter(Boolean);
    return { id, project, error, url: urls[0]!, lines };
  };

  it.each([
    ['node-18', { engines: { node: '18.x' } }, {}, /^v18\./, /^npm\/10\./],
    ['node-20', {}, { '.nvmrc': '20\n' }, /^v20\./, /^npm\/\d/],
    ['node-22', { volta: { node: '22.14.0' } }, {}, /^v22\.14\.0/, /^npm\/10\./],
    ['pnpm-8', { packageManager: 'pnpm@8.15.9' }, {}, /^v\d/, /^pnpm\/8\.15\.9/],
    ['pnpm-9', { packageManager: 'pnpm@9.5.0', engines: { node: '22' } }, {}, /^v22\./, /^pnpm\/9\.5\.0/],
    ['yarn-1', { packageManager: 'yarn@1.22.22' }, {}, /^v\d/, /^yarn\/1\.22\.22/],
    [
      'yarn-4',
      { packageManager: 'yarn@4.9.1' },
      { '.yarnrc.yml': 'nodeLinker: node-modules\n' },
      /^v\d/,
      /^yarn\/4\.9\.1/,
    ],
  ] as const)(
    '%s',
    async (name, fields, files, version, agent) => {
      const { error, lines, url } = await deployed(name, app(fields, files));
      expect(error, lines.slice(-40).join('\n')).toBeNull();
      const said = JSON.parse((await ask(url)).body) as Record<'native' | 'built' | 'released' | 'runs', string>;
      const [builtBy, builtWith] = said.built.split(' ');
      expect(said.native).toBe('$argon2id');
      expect(said.runs).toMatch(version);
      expect([builtBy, said.released.split(' ')[0]]).toEqual([said.runs, said.runs]);
      expect(builtWith).toMatch(agent);
      expect(lines).toContainEqual(expect.stringContaining(`Node.js ${said.runs.slice(1)}`));
    },
    300_000,
  );

  it('bun', async () => {
    const folder = folderOf({
      'package.json': JSON.stringify({ name: 'app', packageManager: 'bun@1.3.0', scripts: { start: 'bun server.ts' } }),
      'server.ts': `Bun.serve({ port: process.env.PORT, hostname: process.env.HOST, fetch: () => new Response(Bun.version) });`,
    });
    const { error, lines, url } = await deployed('bun', folder, { releaseCommand: null });
    expect(error, lines.slice(-40).join('\n')).toBeNull();
    expect((await ask(url)).body).toBe('1.3.0');
  }, 300_000);

  it('compiles a native module with the headers of that Node', async () => {
    const folder = app({
      engines: { node: '18' },
      dependencies: { '@node-rs/argon2': '2.0.2', 'unix-dgram': '2.0.6' },
    });
    const { error, lines } = await deployed('native', folder, {
      releaseCommand: `${note('released')} && node -e "require('unix-dgram')"`,
    });
    expect(error, lines.slice(-40).join('\n')).toBeNull();
  }, 300_000);

  it('uses stored tools without the registry, also after a restart and a rollback', async () => {
    const first = await deployed('kept', app({ engines: { node: '18' } }));
    expect(first.error).toBeNull();
    await service.stop('SIGKILL');
    service = await startService({
      dataDir: service.dataDir,
      env: { ...env, MOORING_NPM_REGISTRY: 'http://127.0.0.1:9' },
    });
    await until('it answers', async () => (await ask(first.url)).status === 200, 30_000);
    const quick = folderOf({
      'package.json': JSON.stringify({ name: 'app', engines: { node: '18' }, scripts: { start: 'node server.js' } }),
      'server.js': `require('http').createServer((_, r) => r.end(process.version)).listen(process.env.PORT, process.env.HOST)`,
    });
    const second = await deployed('kept', quick);
    expect(second.error, second.lines.join('\n')).toBeNull();
    expect((await ask(second.url)).body).toMatch(/^v18\./);
    const { deployment_id: id } = await json<{ deployment_id: string }>(
      service.post(`/api/deployments/${first.id}/rollback`, {}),
    );
    expect((await ended(service, id, 60_000)).error).toBeNull();
    expect((await ask(first.url)).body).toContain('"runs":"v18.');
    const missing = await deployed('missing', app({ engines: { node: '16' } }));
    expect(missing.error!.message).toMatch(
      /The app needs Node\.js 16 \(engines of package\.json: 16\)\. .*Mooring brings 24\..* and http:\/\/127\.0\.0\.1:9 cannot be reached/,
    );
    expect(missing.error!.hint).toContain('MOORING_NPM_REGISTRY');
  }, 300_000);

  it('leaves nothing half after a kill during the download', async () => {
    await service.stop('SIGKILL');
    service = await startService({ dataDir: service.dataDir, env });
    const id = await begin(
      service,
      await ensureProject(service, 'cut'),
      app({ engines: { node: '16' } }, { built: '', released: '' }),
    );
    const drafts = () => readdirSync(toolsOf(service)).filter((name) => name.startsWith('.draft-'));
    await until(
      'the download begins',
      async () => drafts().some((each) => existsSync(join(toolsOf(service), each, 'archive'))),
      60_000,
    );
    await service.stop('SIGKILL');
    expect(drafts()).toHaveLength(1);
    expect(readdirSync(toolsOf(service)).filter((name) => name.startsWith('node-16'))).toEqual([]);
    service = await startService({ dataDir: service.dataDir, env });
    const { error, urls } = await ended(service, id, 200_000);
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toContain('"runs":"v16.');
    await until('the draft is gone', async () => drafts().length === 0, 20_000);
    const [node] = readdirSync(toolsOf(service)).filter((name) => name.startsWith('node-16'));
    expect(execFileSync(join(toolsOf(service), node!, 'bin/node'), ['-v'], { encoding: 'utf8' })).toMatch(/^v16\./);
    expect(readFileSync(join(toolsOf(service), node!, 'package/package.json'), 'utf8')).toContain('16.');
  }, 300_000);
});

describe.runIf(hasRegistry).each(operators)('tools of Mooring that %s runs', (who) => {
  let service: Service;
  beforeAll(async () => {
    service = await placeOf(who).start(env);
  });
  afterAll(() => service?.stop());

  it('are readable for projects, and not writable', async () => {
    const project = await ensureProject(service, 'writer');
    const server = `const { appendFileSync, writeFileSync } = require('fs');
const { dirname } = require('path');
const outcome = (act) => { try { act(); return 'done'; } catch (error) { return error.code; } };
const seen = [() => appendFileSync(process.execPath, 'x'), () => writeFileSync(dirname(process.execPath) + '/evil', 'x')].map(outcome);
require('http').createServer((_, response) => response.end(JSON.stringify({ seen, runs: process.version }))).listen(process.env.PORT, process.env.HOST);`;
    const fields = { name: 'writer', engines: { node: '22' }, scripts: { start: 'node server.js', build: 'node -v' } };
    const folder = folderOf({ 'package.json': JSON.stringify(fields), 'server.js': server });
    const id = await begin(service, project, folder);
    const { error, urls } = await ended(service, id, 200_000);
    expect(error).toBeNull();
    const { seen, runs } = JSON.parse((await ask(urls[0]!)).body) as { seen: string[]; runs: string };
    expect(runs).toMatch(/^v22\./);
    expect(seen.filter((each) => !['EACCES', 'EROFS', 'ETXTBSY'].includes(each))).toEqual([]);
  }, 300_000);
});
