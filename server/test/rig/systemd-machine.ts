import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { newFolder } from './children.ts';
import { machinePrefix, machineProgram } from './systemd-leftovers.ts';

const checkout = resolve(import.meta.dirname, '../../..');
/** Built once per checkout, and never written to: each machine has its own layer above it. */
const trees = join(checkout, 'node_modules/.cache');
const basePackages = ['git', 'openssl', 'docker.io', 'iptables', 'tini'];

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A Debian machine with systemd as process 1 and Docker, without a network. */
export interface SystemdMachine {
  /** Runs a shell script as root. */
  sh(script: string, stdin?: string): Promise<Outcome>;
  /** Runs a shell script that must succeed, and returns its output. */
  ok(script: string, stdin?: string): Promise<string>;
  /** Runs a shell script on a terminal, and types each answer when its prompt appears. */
  type(script: string, answers: [prompt: string, answer: string][]): Promise<Outcome>;
  /** Copies files of a folder into a folder of the machine. */
  put(from: string, names: string[], to: string): void;
  reboot(): void;
  close(): void;
}

type Options = { suite?: string; packages?: string[] };

/** `suite`: another Debian than that of this machine. `packages`: in addition to the usual ones. */
export function startSystemdMachine({ suite = '', packages = [] }: Options = {}): SystemdMachine {
  const env = { ...process.env, SUITE: suite };
  const control = (...args: string[]) =>
    void execFileSync(machineProgram, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const tree = join(trees, ['systemd-machine', suite, ...packages].filter(Boolean).join('-'));
  control('base', tree, ...basePackages, ...packages);
  const folder = newFolder(machinePrefix.slice(0, -1));
  control('start', folder, tree);
  const sh = async (script: string, stdin = ''): Promise<Outcome> => {
    const child = spawn(machineProgram, ['exec', folder, 'sh', '-c', script], { stdio: 'pipe' });
    child.stdin.on('error', () => {}).end(stdin);
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  };
  return {
    sh,
    async ok(script, stdin) {
      const { code, stdout, stderr } = await sh(script, stdin);
      if (code !== 0) throw new Error(`${script} exited with ${code}: ${stdout}${stderr}`);
      return stdout;
    },
    async type(script, answers) {
      const terminal = ['script', '--quiet', '--return', '--command', script, '/dev/null'];
      const child = spawn(machineProgram, ['exec', folder, ...terminal], { stdio: 'pipe' });
      const left = [...answers];
      let [stdout, unread] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        stdout += chunk;
        unread += chunk;
        const [prompt, answer] = left[0] ?? [];
        if (prompt === undefined || !unread.includes(prompt)) return;
        left.shift();
        unread = '';
        child.stdin.write(`${answer}\n`);
      });
      const [stderr, code] = await Promise.all([
        text(child.stderr),
        new Promise<number | null>((done) => child.once('close', done)),
      ]);
      return { code, stdout, stderr };
    },
    put(from, names, to) {
      const archive = execFileSync('tar', ['-C', from, '-c', ...names], { maxBuffer: 1 << 30 });
      execFileSync(machineProgram, ['exec', folder, 'sh', '-c', `mkdir -p ${to} && tar -x -C ${to}`], {
        input: archive,
      });
    },
    reboot() {
      control('stop', folder);
      control('start', folder, tree);
    },
    close() {
      control('stop', folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
