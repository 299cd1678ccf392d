import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { owner } from './service.ts';

export const launcher = join(import.meta.dirname, '..', 'bin', 'mooring.mjs');

/** The user's Node, not the one among the dependencies. */
export const nodeOnPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file))!;

export type Outcome = { code: number | null; stdout: string; stderr: string };
type How = { stdin?: string; env?: Record<string, string>; node?: string; cwd?: string };

/** A person with their own home folder who runs commands. */
export class Person {
  readonly home = mkdtempSync(join(tmpdir(), 'mooring-cli-home-'));
  readonly loginFile = join(this.home, '.config', 'mooring', 'config.json');

  start(args: string[], { env = {}, node = process.execPath, cwd }: How = {}): ChildProcess {
    return spawn(node, [launcher, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: this.home, ...env },
      stdio: 'pipe',
    });
  }

  async run(args: string[], how: How = {}): Promise<Outcome> {
    const child = this.start(args, how);
    child.stdin!.end(how.stdin ?? '');
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
    return { code, stdout, stderr };
  }

  /** Runs a command that must succeed and returns its JSON. */
  async json<T>(args: string[], how: How = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], how);
    if (code !== 0) throw new Error(`mooring ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  logIn(url: string, how: How = {}): Promise<Outcome> {
    return this.run(['login', url, '--email', owner.email, '--password-stdin'], {
      stdin: `${owner.password}\n`,
      ...how,
    });
  }

  leave(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A person at a terminal, which `script` provides. */
export class Typist {
  readonly #terminal: ChildProcess;
  screen = '';
  #seen = 0;

  constructor({ home }: Person, args: string[]) {
    const command = [process.execPath, launcher, ...args].map((word) => `'${word}'`).join(' ');
    const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm' };
    this.#terminal = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#terminal.stdout!.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
  }

  /** Waits for the prompt, then types the answer. */
  async answer(question: string, text: string): Promise<void> {
    while (!this.screen.includes(question, this.#seen)) await once(this.#terminal.stdout!, 'data');
    this.#seen = this.screen.length;
    this.#terminal.stdin!.write(`${text}\r`);
  }

  async end(): Promise<number> {
    const [code] = (await once(this.#terminal, 'close')) as [number];
    return code;
  }
}

/** An address without a listener. */
export async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}
