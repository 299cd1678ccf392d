import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';
import { type Service, startService } from './service.ts';

/** An unused uid, outside the range for projects. */
const id = 64_123;
const root = join(import.meta.dirname, '../../..');

/** Starts the service as an unprivileged user with its own data folder. As root it copies the program first: that
 * user may have no access to this checkout. */
export function startAsOrdinaryUser(env: Record<string, string>): Promise<Service> {
  if (process.getuid?.() !== 0) return startService({ env });
  const [dataDir, home] = [newFolder('data'), newFolder('home')];
  for (const folder of [dataDir, home]) chownSync(folder, id, id);
  const under = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--'];
  return startService({ dataDir, under, program: copyProgram(), env: { HOME: home, ...env } });
}

function copyProgram(): [string, string] {
  const folder = newFolder('program');
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'server'));
  for (const name of ['server/dist', 'server/package.json', 'server/openapi.json', 'web/dist', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  copyFileSync(process.execPath, join(folder, 'node'));
  return [join(folder, 'node'), join(folder, 'server/dist/main.js')];
}
