import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, docs, expectLines } from '../../../cli/test/docs/page.ts';
import { exited, newFolder, spawnRecorded } from '../rig/children.ts';
import { until } from '../rig/until.ts';

const root = join(import.meta.dirname, '../../..');

/** The machine's own Node and npm, with an empty home and npm cache. */
function asNewUser() {
  const home = newFolder('home');
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  const passedOn = Object.entries(process.env).filter(([name]) =>
    /^(SSL_|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)/i.test(name),
  );
  return {
    ...Object.fromEntries(passedOn),
    PATH: path.join(':'),
    HOME: home,
    // Not the machine's own /var/lib, which is the default of root.
    MOORING_DATA_DIR: join(home, 'data'),
    npm_config_cache: join(home, 'npm'),
    PORT: '0',
  };
}

/** The output of the first start in Getting started. */
function startOutput(): string {
  const blocks = blocksOf(readFileSync(join(docs, 'getting-started.md'), 'utf8'));
  return blocks[blocks.findIndex(({ text }) => text.trim() === 'npm start') + 1]!.text;
}

describe('a fresh clone', () => {
  it('runs with `npm start`, stops on a signal to npm, and restarts at once', async () => {
    const folder = join(newFolder('clone'), 'a folder with spaces');
    mkdirSync(folder);
    execFileSync('git', ['clone', '--quiet', root, folder]);
    const env = asNewUser();
    const start = async (withinMs: number) => {
      const child = spawnRecorded('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout!, child.stderr!])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      const url = (await until('it is ready', () => /is ready at (\S+)/.exec(output)?.[1], withinMs).catch(
        (error: Error) => {
          throw new Error(`${error.message}: ${output}`);
        },
      ))!;
      return { child, url, output: () => output };
    };
    const first = await start(300_000);
    expect(((await (await fetch(`${first.url}/api/health`)).json()) as { status: string }).status).toBe('ok');
    expect(await (await fetch(first.url)).text()).toContain('<div id="root">');
    expectLines(first.output().replaceAll(new URL(first.url).port, '4600'), startOutput());
    first.child.kill('SIGTERM');
    await exited(first.child);
    await until('the service is gone', () =>
      fetch(`${first.url}/api/health`).then(
        () => false,
        () => true,
      ),
    );
    const second = await start(10_000);
    expect(second.output()).not.toMatch(/Installing|Building/);
    second.child.kill('SIGINT');
    await exited(second.child);
    await until('the service is gone', () =>
      fetch(`${second.url}/api/health`).then(
        () => false,
        () => true,
      ),
    );
    expect(
      execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' }),
      'the checkout stays clean',
    ).toBe('');
  }, 400_000);
});
