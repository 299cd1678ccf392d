import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { type SmallRegistry, startRegistry } from '../../../../../test/rig/npm-registry.ts';
import { rangeAllows } from '../../../../detect/version-range.ts';
import { findProgram, systemPath, versionOf } from '../../../../drivers/toolchain/machine-programs.ts';
import { NpmRegistry } from '../../../../drivers/toolchain/npm-registry.ts';
import { ToolStore } from '../../../../drivers/toolchain/tool-store.ts';
import { packageOf } from '../../../../drivers/toolchain/tools.ts';
import type { RecipeNeeds, Recipe } from '../../model/recipe.ts';
import { programsIn, scriptsIn } from './command-words.ts';
import { checkMachine } from './machine-languages.ts';
import { nodeTools } from './node-tools.ts';

const recipe = (needs: Partial<RecipeNeeds>, commands: Partial<Recipe> = {}): Recipe => ({
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  releaseCommand: null,
  outputDirectory: null,
  fallback: null,
  image: null,
  needs: {
    language: 'javascript',
    languageVersion: null,
    languageRequest: null,
    packageManager: 'npm',
    packageManagerVersion: null,
    packages: [],
    ...needs,
  },
  ...commands,
});
const asking = (range: string, version: string) => ({
  languageVersion: version,
  languageRequest: { said: range, range, from: 'engines of package.json' },
});

const program = findProgram('node', systemPath);
const machine = program && (await versionOf(program));
const { node: own } = process.versions;

describe('tools of an app', () => {
  let registry: SmallRegistry;
  let store: ToolStore;
  let lines: string[];
  const log = (line: string) => void lines.push(line.replace(/ in \d+ s$/, ' in 1 s'));
  const choose = (app: Recipe, tools = store) =>
    nodeTools({ log, signal: AbortSignal.timeout(10_000), parts: { tools }, path: '' }, app);

  beforeAll(async () => {
    registry = await startRegistry();
    const publish = (name: string, version: string, engines?: object) =>
      registry.publish(name, version, {
        'package.json': JSON.stringify({ bin: 'run', engines }),
        run: '',
      });
    publish(packageOf('node', '14')!, '14.21.3');
    publish('npm', '6.14.18');
    publish('npm', '11.1.0');
    publish('pnpm', '8.1.0', { node: '>=16.14' });
    publish('pnpm', '10.1.0', { node: '>=18.12' });
    publish('pnpm', '11.0.0', { node: `>=${own}` });
    publish('yarn', '1.22.22');
  });
  afterAll(() => registry?.close());
  beforeEach(() => {
    store = new ToolStore(newFolder('tools'), new NpmRegistry(registry.url, {}, []));
    lines = [];
  });

  it('downloads a Node that neither the machine nor Mooring has, with the npm of that Node', async () => {
    expect(await choose(recipe(asking('14.x', '14')))).toEqual(['node@14.21.3', 'npm@6.14.18']);
    expect(lines).toEqual([
      'Node.js 14.21.3, as engines of package.json asks for (14.x); downloaded in 1 s',
      'npm 6.14.18; downloaded in 1 s',
    ]);
    await choose(recipe(asking('14.0.0', '14.0.0')));
    expect(lines).toContain('Node.js 14.0.0 is not in the registry; the app gets 14.21.3');
  });

  it('prefers the Node of the machine, then the one of Mooring', async () => {
    const [major] = own.split('.');
    const tools = await choose(recipe(asking(`>=${major}`, major!)));
    const isMachine = machine !== undefined && rangeAllows(`>=${major}`, machine);
    expect(tools).toEqual(isMachine ? [] : [`node@${own}`, 'npm@11.1.0']);
    expect(lines[0]).toMatch(/^Node\.js \S+ of (this machine|Mooring), as engines of package\.json asks for/);
  });

  it.runIf(machine)('downloads nothing for an app that the machine can run', async () => {
    registry.requests();
    expect(await choose(recipe(asking('>=4', '22'), { startCommand: 'npm run start' }))).toEqual([]);
    expect(lines).toEqual([`Node.js ${machine} of this machine, as engines of package.json asks for (>=4)`]);
    expect(registry.requests()).toEqual([]);
  });

  it('takes the version of the package manager, and programs that commands name', async () => {
    const pnpm = await choose(recipe({ packageManager: 'pnpm', packageManagerVersion: '8' }));
    expect(pnpm).toContain('pnpm@8.1.0');
    expect(lines[0]).toBe('pnpm 8.1.0, as the source asks for (8); downloaded in 1 s');
    const commands = { installCommand: 'NODE_ENV=production pnpm install && yarn build', startCommand: 'node x' };
    expect(await choose(recipe({}, commands))).toEqual(expect.arrayContaining(['pnpm@10.1.0', 'yarn@1.22.22']));
    expect(await choose(recipe({ otherLanguages: ['javascript', 'pnpm'] }))).toContain('pnpm@10.1.0');
  });

  it('chooses a Node that the package manager runs on', async () => {
    const tools = await choose(recipe({ packageManager: 'pnpm', packageManagerVersion: '11.0.0' }));
    expect(tools).toContain('pnpm@11.0.0');
    if (machine && !rangeAllows(`>=${own}`, machine)) expect(tools).toContain(`node@${own}`);
  });

  it('does not take the version of another language for one of Node', async () => {
    const php = { ...asking('^8.2', '8.2'), language: 'php', packageManager: 'composer' };
    await choose(recipe(php, { buildCommand: 'composer install && npm ci' }));
    expect(lines[0]).toMatch(/^Node\.js \S+ of (this machine|Mooring)$/);
    expect(await choose(recipe({ ...php, language: 'php' }, { buildCommand: 'composer install' }))).toEqual([]);
  });

  it('says what was tried and what to do if the registry is away', async () => {
    const offline = new ToolStore(newFolder('tools'), new NpmRegistry('http://127.0.0.1:9', {}, []));
    const error = await choose(recipe(asking('14.x', '14')), offline).catch((caught: Error) => caught);
    expect(error).toMatchObject({
      code: 'no_toolchain',
      message: expect.stringMatching(
        /^The app needs Node\.js 14 \(engines of package\.json: 14\.x\)\. .*Mooring brings 2.*, and http:\/\/127\.0\.0\.1:9 cannot be reached/i,
      ),
      hint: expect.stringContaining('MOORING_NPM_REGISTRY'),
    });
    const pnpm = await choose(recipe({ packageManager: 'pnpm', packageManagerVersion: '8' }), offline).catch(
      (caught: Error) => caught,
    );
    expect(findProgram('pnpm', systemPath) ? lines.join() : (pnpm as Error).message).toContain('pnpm 8');
  });

  it('says what to change if there is no such version', async () => {
    await expect(choose(recipe(asking('12.x', '12')))).rejects.toMatchObject({
      message: expect.stringContaining(`and ${registry.url} has no Node.js 12 for this machine`),
      hint: 'Change engines of package.json, or install Node.js 12 in /usr/local/bin.',
    });
    const pnpm = recipe({ packageManager: 'pnpm', packageManagerVersion: '99.0.0' });
    if (!findProgram('pnpm', systemPath))
      await expect(choose(pnpm)).rejects.toMatchObject({
        hint: expect.stringMatching(/^Change the version of pnpm in /),
      });
  });

  it('names the Debian package of a missing program before a command runs', async () => {
    const check = (needs: Partial<RecipeNeeds>, installCommand: string) =>
      checkMachine({ log, path: '' }, recipe({ language: null, ...needs }, { installCommand }));
    await expect(check({}, 'cobc -x main.cob')).rejects.toMatchObject({
      message: 'The app needs cobc, which is not installed on this machine',
      hint: expect.stringContaining('`apt-get install gnucobol`'),
    });
    await check({}, 'some-program --of mine; ./build.sh && $HOME/bin/cobc');
    await check({ language: 'perl', ...asking('99', '99') }, 'true');
    expect(lines).toEqual([
      expect.stringMatching(/^Perl 5\.\S+ of this machine; engines of package\.json asks for 99\./),
    ]);
  });

  it('finds programs and scripts of commands', () => {
    const commands = { installCommand: 'A=1 B=x exec ./gradlew build && bin/rails db:migrate | tee log; (cd x)' };
    expect(programsIn(recipe({}, commands))).toEqual(['tee']);
    expect(scriptsIn(recipe({}, commands))).toEqual(['./gradlew', 'bin/rails']);
    expect(scriptsIn(recipe({}, { startCommand: '/usr/bin/node x || ../up' }))).toEqual(['../up']);
  });
});
