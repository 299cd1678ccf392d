import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawnRecorded } from './children.ts';

const program = join(import.meta.dirname, '../../dist/maintenance.js');

/** Starts a maintenance command of the built service. */
export function beginMaintenance(env: Record<string, string>, ...args: string[]): ChildProcess {
  const base = { PATH: process.env['PATH'] ?? '' };
  return spawnRecorded(process.execPath, [program, ...args], {
    env: { ...base, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command that prints JSON. Throws what it complains about. */
export async function runMaintenance<T>(env: Record<string, string>, ...args: string[]): Promise<T> {
  const child = beginMaintenance(env, ...args);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [printed, complaint, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  if (code !== 0) throw new Error(complaint.trim());
  return JSON.parse(printed) as T;
}
