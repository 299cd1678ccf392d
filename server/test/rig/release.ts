import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { signBundle } from './bundles.ts';
import { newFolder } from './children.ts';

const ownCheckout = resolve(import.meta.dirname, '../../..');

export interface Release {
  /** The flat folder, as a web server would serve it. */
  folder: string;
  version: string;
  /** The file name of the bundle for this machine. */
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
  args = ['--arch', process.arch],
}: Options = {}): Release {
  const folder = newFolder('release');
  const command = [join(checkout, 'scripts/release.mjs'), '--any-key', '--out', folder, ...args];
  execFileSync(process.execPath, command, { env: { ...process.env, MOORING_RELEASE_KEY: key }, stdio: 'pipe' });
  const { version } = JSON.parse(readFileSync(join(folder, 'latest.json'), 'utf8')) as { version: string };
  return { folder, version, bundle: `mooring-${version}-linux-${process.arch}.tar.gz` };
}

export type Change = { before?: string; unit?: string };

/** Repacks a release under another version, with code before its service and lines at the end of its unit. */
export function repackRelease(
  { folder, bundle, version }: Release,
  key: string,
  to: string,
  change: Change = {},
): Release {
  const { before = '', unit = '' } = change;
  const [work, out] = [newFolder('repack'), newFolder('release')];
  execFileSync('tar', ['-C', work, '-xzf', join(folder, bundle)]);
  const top = join(work, `mooring-${to}`);
  renameSync(join(work, `mooring-${version}`), top);
  writeFileSync(join(top, 'VERSION'), `${to}\n`);
  for (const part of ['server/package.json', 'cli/package.json']) {
    const manifest = JSON.parse(readFileSync(join(top, part), 'utf8')) as object;
    writeFileSync(join(top, part), JSON.stringify({ ...manifest, version: to }));
  }
  const main = join(top, 'server/dist/main.js');
  writeFileSync(main, before + readFileSync(main, 'utf8'));
  appendFileSync(join(top, 'units/mooring.service'), unit);
  const name = `mooring-${to}-linux-${process.arch}.tar.gz`;
  execFileSync('tar', ['-C', work, '--use-compress-program=gzip -1', '-cf', join(out, name), `mooring-${to}`]);
  signBundle(out, to, name, { privateKey: readFileSync(key, 'utf8'), publicKey: '' });
  writeFileSync(join(out, 'latest.json'), JSON.stringify({ version: to }));
  return { folder: out, version: to, bundle: name };
}
