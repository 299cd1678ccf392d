import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { endProcessesOf, exited, newFolder, spawnRecorded } from './children.ts';
import { keepCode, newDataFolder } from './compiled-code.ts';
import { ownerEmail, ownerPassword, ownerToken } from './app.ts';

const ownProgram: [string, string] = [process.execPath, join(import.meta.dirname, '../../dist/main.js')];

export interface Service {
  url: string;
  dataDir: string;
  child: ChildProcess;
  /** The output so far. */
  output(): string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  patch(path: string, body: unknown): Promise<Response>;
  /** Stops it and returns the exit code. With a signal only the service receives it; without one the edge and the
   * apps, which outlive the service, are stopped too. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

type Options = {
  env?: Record<string, string>;
  dataDir?: string;
  /** A command prefix that runs the service. */
  under?: string[];
  /** Node and the service's file, if not those of this checkout. */
  program?: [node: string, file: string];
};

const unattended = {
  MOORING_ADMIN_EMAIL: ownerEmail,
  MOORING_ADMIN_PASSWORD: ownerPassword,
  MOORING_ADMIN_TOKEN: ownerToken,
};

/** Starts the built service as a process on a free port, with an owner; waits until it is ready. */
export async function startService({
  env = {},
  dataDir: given,
  under = [],
  program = ownProgram,
}: Options = {}): Promise<Service> {
  const dataDir = given ?? (under.length ? newFolder('data') : newDataFolder());
  const child = spawnService({ ...unattended, MOORING_DATA_DIR: dataDir, ...env }, [...under, ...program]);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const ready = /is ready at (\S+)/.exec(output)?.[1];
      if (ready) resolve(ready);
    };
    child.stdout!.on('data', look);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  const headers = { authorization: `Bearer ${ownerToken}` };
  return {
    url,
    dataDir,
    child,
    output: () => output,
    get: (path, more) => fetch(url + path, { headers: more ?? headers }),
    post: (path, body, more) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(more ?? headers) },
        body: JSON.stringify(body),
      }),
    patch: (path, body) =>
      fetch(url + path, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    async stop(signal) {
      child.kill(signal ?? 'SIGTERM');
      const code = await exited(child);
      if (!given) keepCode(dataDir);
      if (!signal) endProcessesOf(dataDir);
      return code;
    },
  };
}

/** Starts the service and expects it to fail; returns its exit code and output. */
export async function failToStart(
  env: Record<string, string>,
): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const child = spawnService({ MOORING_DATA_DIR: newDataFolder(), ...env });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await exited(child);
  return { code, output };
}

function spawnService(env: Record<string, string>, command: string[] = ownProgram): ChildProcess {
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: newFolder('home'),
    PORT: '0',
    MOORING_EDGE_PORT: '0',
    MOORING_EDGE_WORKERS: '1',
    MOORING_EDGE_TLS_PORT: '0',
    MOORING_RUNTIME: 'process',
  };
  const [file, ...args] = command;
  return spawnRecorded(file!, args, {
    env: { ...base, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
