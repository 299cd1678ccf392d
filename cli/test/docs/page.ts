import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { launcher, nodeOnPath } from '../mooring.ts';

export const docs = join(import.meta.dirname, '../../../docs');

/** A fenced block of a page. `info` is what follows the fence: `sh`, `text`, `js [server.js]`. */
export type Block = { info: string; text: string; line: number };

export function blocksOf(markdown: string): Block[] {
  const found: Block[] = [];
  let open: (Block & { fence: string; indent: string }) | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, indent = '', fence = '', info = ''] = /^(\s*)(`{3,})(.*)$/.exec(line) ?? [];
    if (!open && fence) open = { info: info.trim(), text: '', line: index + 1, fence, indent };
    else if (open && fence === open.fence) {
      found.push({ info: open.info, text: open.text, line: open.line });
      open = undefined;
    } else if (open) open.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`;
  }
  return found;
}

export type Stage = {
  /** What stands on the page, and what it is here: `['4600', '31245']`. */
  values?: [onPage: string, here: string][];
  env?: Record<string, string>;
  /** A folder of programs that come before those of the machine. */
  programs?: string;
  /** Where the first command runs; otherwise an empty folder. */
  folder?: string;
  /** For commands that ask: what to type, in the order of the questions. */
  typed?: Record<string, string[]>;
  /** Commands that another test runs, with its file. */
  elsewhere?: Record<string, string>;
  /** Before the block that begins with the key. */
  before?: Record<string, () => Promise<unknown>>;
};

/** Runs every `sh` block of a page in order, as one terminal session; a `text` block after it is its output, where `...` stands
 * for anything. A block with a file name, as `js [server.js]`, is written to that file. */
export function runPage(page: string, stage: () => Stage): void {
  const blocks = blocksOf(readFileSync(join(docs, page), 'utf8'));
  let session: Session | undefined;
  for (const [index, { info, text, line }] of blocks.entries()) {
    const file = /\[(.+)\]$/.exec(info)?.[1];
    const title = `${page}:${line} ${file ?? text.split('\n')[0]}`;
    if (file) test(title, () => (session ??= new Session(stage())).write(file, text));
    if (info !== 'sh') continue;
    const next = blocks[index + 1];
    test(
      title,
      async () => {
        session ??= new Session(stage());
        const output = await session.run(text);
        if (output !== undefined && next?.info === 'text') expectLines(output, next.text);
      },
      300_000,
    );
  }
  test(`${page} is done`, () => session?.end());
}

class Session {
  readonly #stage: Stage;
  readonly #home = mkdtempSync(join(tmpdir(), 'mooring-docs-'));

  constructor(stage: Stage) {
    this.#stage = stage;
    const bin = join(this.#home, 'bin');
    mkdirSync(bin);
    symlinkSync(launcher, join(bin, 'mooring'));
    const work = stage.folder ?? join(this.#home, 'work');
    mkdirSync(work, { recursive: true });
    writeFileSync(this.#file('folder'), work);
    const path = [
      bin,
      stage.programs ?? bin,
      dirname(nodeOnPath),
      '/usr/local/bin',
      '/usr/bin',
      '/bin',
      '/usr/sbin',
      '/sbin',
    ].join(':');
    const env = {
      PATH: path,
      HOME: this.#home,
      NO_COLOR: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
    };
    const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };
    const all = Object.entries({ ...env, ...committer, ...stage.env });
    writeFileSync(this.#file('env'), all.map(([name, value]) => `export ${name}='${value}'\n`).join(''));
  }

  readonly #file = (name: string) => join(this.#home, name);

  write(file: string, text: string): void {
    const path = join(readFileSync(this.#file('folder'), 'utf8').trim(), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, this.#here(text));
  }

  /** What it prints; nothing for a block that another test runs. */
  async run(text: string): Promise<string | undefined> {
    const { elsewhere = {}, typed = {}, before = {} } = this.#stage;
    const first = text.split('\n')[0]!;
    if (text.trim() in elsewhere) return undefined;
    await before[first]?.();
    const script = this.#file('block');
    const [env, folder] = [this.#file('env'), this.#file('folder')];
    const begin = `exec 2>&1\nset -e\n. ${env}\ncd "$(cat ${folder})"\n`;
    const commands = `${begin}${this.#here(text)}\npwd > ${folder}\nexport -p > ${env}\n`;
    writeFileSync(script, commands);
    chmodSync(script, 0o700);
    const answers = typed[first];
    const program = answers ? ['script', '-qefc', `bash ${script}`, '/dev/null'] : ['bash', script];
    const { code, output } = await spawned(program, answers);
    const shown = this.#onPage(output);
    if (code !== 0) throw new Error(`exit code ${code}: ${shown}`);
    return shown;
  }

  end(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #here = (text: string) => (this.#stage.values ?? []).reduce((all, [page, here]) => all.replaceAll(page, here), text);
  #onPage = (text: string) =>
    (this.#stage.values ?? []).reduce((all, [page, here]) => all.replaceAll(here, page), text);
}

/** Questions end with a colon or a bracket; each is answered with the next text. */
function spawned(
  [program, ...args]: string[],
  answers: string[] = [],
): Promise<{ code: number | null; output: string }> {
  const env = { PATH: process.env['PATH'], TERM: 'xterm' };
  const child = spawn(program!, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, seen, asked] = ['', 0, 0];
  const read = (text: string) => {
    output += text;
    const rest = stripVTControlCharacters(output.slice(seen));
    if (asked >= answers.length || !/[:?\]] ?$/.test(rest)) return;
    seen = output.length;
    child.stdin.write(`${answers[asked++]}\r`);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
  if (!answers.length) child.stdin.end();
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, output: stripVTControlCharacters(output) })),
  );
}

/** Every line of the page is in the output, in this order. */
export function expectLines(output: string, page: string): void {
  const plain = (line: string) => line.trim().replaceAll(/\s+/g, ' ');
  const lines = output.split(/[\r\n]+/).map(plain);
  let from = 0;
  for (const wanted of page
    .split('\n')
    .map(plain)
    .filter((line) => line !== '' && line !== '...')) {
    const parts = wanted.split('...').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const pattern = new RegExp(`^${parts.join('.*')}$`);
    const found = lines.findIndex((line, index) => index >= from && pattern.test(line));
    expect(found, `the page shows "${wanted}", and the output is:\n${output}`).not.toBe(-1);
    from = found + 1;
  }
}
