import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Failure } from './errors.ts';

// Both `cli/dist` and `cli/src` are two folders below the checkout.
const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'server', 'dist', 'maintenance.js');

/** Runs a maintenance command of the service on this machine's data folder and returns its output. */
export async function maintenanceOutput(...args: string[]): Promise<string> {
  const lines: string[] = [];
  await maintenanceLines((line) => lines.push(line), ...args);
  return lines.join('\n').trimEnd();
}

/** Like `maintenanceOutput`, for a command that prints while it runs. */
export async function maintenanceLines(onLine: (line: string) => void, ...args: string[]): Promise<void> {
  const child = spawn(...commandOf(args), { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const read = async () => {
    for await (const line of createInterface({ input: child.stdout })) onLine(line);
  };
  const [complaint, code] = await Promise.all([text(child.stderr), ended, read()]);
  if (code !== 0)
    throw new Failure(complaint.trim().replace(/^mooring: /, '') || `${args[0]} exited with ${code ?? 'a signal'}`);
}

/** Runs a command until it is stopped. It prints by itself, and gets the signals that we get. Returns its exit code. */
export async function maintenanceInForeground(...args: string[]): Promise<number> {
  const child = spawn(...commandOf(args), { stdio: ['ignore', 'inherit', 'inherit'] });
  process.on('SIGTERM', () => void child.kill('SIGTERM'));
  return new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 1)));
}

function commandOf(args: string[]): [file: string, args: string[]] {
  if (!existsSync(program))
    throw new Failure(`this works only on the machine that runs Mooring; ${program} is missing (npm run build)`);
  return [findNode24(), ['--enable-source-maps', program, ...args]];
}

/** Runs a maintenance command that prints a JSON object. */
export const maintenanceJson = async <T>(...args: string[]): Promise<T> =>
  JSON.parse(await maintenanceOutput(...args)) as T;

function findNode24(): string {
  const brought = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(brought)) return brought;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return process.execPath;
  throw new Failure(`this needs Node 24.7 or newer; this is ${process.version}`);
}
