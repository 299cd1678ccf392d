import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from './children.ts';

const ownCheckout = resolve(import.meta.dirname, '../../..');

export interface Release {
  /** The flat folder, as a web server would serve it. */
  folder: string;
  version: string;
  /** The file name of the bundle for x64. */
  bundle: string;
}

/** Creates a key that signs releases, and returns its file. */
export function releaseKey(): string {
  const file = join(newFolder('key'), 'key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return file;
}

type Options = { checkout?: string; key?: string; args?: string[] };

/** Runs `npm run release` in a checkout, with a key of this test. */
export function buildRelease({
  checkout = ownCheckout,
  key = releaseKey(),
  args = ['--arch', 'x64'],
}: Options = {}): Release {
  const folder = newFolder('release');
  const command = [join(checkout, 'scripts/release.mjs'), '--any-key', '--out', folder, ...args];
  execFileSync(process.execPath, command, { env: { ...process.env, MOORING_RELEASE_KEY: key }, stdio: 'pipe' });
  const { version } = JSON.parse(readFileSync(join(folder, 'latest.json'), 'utf8')) as { version: string };
  return { folder, version, bundle: `mooring-${version}-linux-x64.tar.gz` };
}
