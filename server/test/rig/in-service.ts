import { execFileSync } from 'node:child_process';
import type { Docker } from './docker.ts';

/** Runs a program in the running container of a service; returns its output. */
export function runIn({ address }: Docker, service: string, args: string[], env: Record<string, string> = {}): string {
  const docker = (...more: string[]) =>
    execFileSync('docker', ['-H', address, ...more], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const id = docker('ps', '-q', '--filter', `label=mooring.service=${service}`);
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return docker('exec', ...variables, id, ...args);
}
