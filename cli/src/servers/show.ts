import type { Schemas } from '@mooring/client';
import { plain } from '../output.ts';
import { inBytes } from '../words.ts';

type Check = Schemas['ServerCheck'];

const rights = {
  root: 'root',
  sudo: 'sudo without a password',
  none: 'an ordinary user',
};

/** The results of a test, one per line. */
export function checkLines(name: string, check: Check): string {
  const { system, architecture, latencyMs, engine, disk } = check;
  return [
    `${name} responds in ${latencyMs} ms.`,
    `System:  ${system}, ${architecture}`,
    `Rights:  ${check.rights ? rights[check.rights] : 'unknown'}`,
    `Engine:  ${engine?.version ? `Docker ${engine.version}` : `none (${engine?.reason})`}`,
    ...(disk ? [`Disk:    ${inBytes(disk.freeBytes)} of ${inBytes(disk.totalBytes)} free at ${disk.path}`] : []),
  ]
    .map(plain)
    .join('\n');
}
