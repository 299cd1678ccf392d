import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newFolder } from '../../../test/rig/children.ts';
import { readUpdateStatus, type UpdateStatus } from '../../areas/instance/port.ts';
import { sampleArchive, type Sample } from '../../lib/archive/sample-archives-rig.ts';
import { statusReporter } from '../update.ts';
import { currentVersion } from './installation.ts';
import { createJournal, readJournal } from './journal.ts';
import { copyBundle } from './release-files.ts';
import type { ServiceControl } from './service-control.ts';
import { Updater } from './updater.ts';

/** `healthy`: answers. `crash`: exits at once. `mute`: runs without answering. `migrates`: prints that it does so, and never
 * answers. */
export type TestServiceBehaviour = 'healthy' | 'crash' | 'mute' | 'migrates';

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

export const launcherScript = (version: string): string => `#!/bin/sh\necho 'mooring ${version}'\n`;
const filesOf = (version: string): Sample[] => [
  { name: `mooring-${version}/VERSION`, content: `${version}\n` },
  { name: `mooring-${version}/release-key.pem`, content: publicKey },
  { name: `mooring-${version}/bin/mooring`, content: launcherScript(version), mode: 0o755 },
];

/** Writes a signed bundle of a few bytes. Returns its path. */
export function tinyBundle(version: string, entries = filesOf(version), key = privateKey): string {
  const folder = newFolder('releases');
  const name = `mooring-${version}-linux-${process.arch}.tar.gz`;
  writeFileSync(join(folder, name), sampleArchive(...entries));
  signTiny(join(folder, name), version, key);
  return join(folder, name);
}

export function signTiny(bundle: string, version: string, key = privateKey): void {
  const sums = join(dirname(bundle), `mooring-${version}.sha256`);
  const digest = createHash('sha256').update(readFileSync(bundle)).digest('hex');
  writeFileSync(sums, `${digest}  ${basename(bundle)}\n`);
  writeFileSync(`${sums}.sig`, sign(null, readFileSync(sums), createPrivateKey(key)));
}

/** An installation in a folder, with a service that exists only as an HTTP server and a real SQLite database. */
export async function tinyInstallation(version = '1.0.0', root = newFolder('machine')) {
  const [versions, dataDir] = [join(root, 'opt'), join(root, 'data')];
  const state = `${dataDir}-update`;
  for (const folder of [join(versions, version, 'bin'), dataDir, state]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(versions, version, 'VERSION'), version);
  writeFileSync(join(versions, version, 'release-key.pem'), publicKey);
  writeFileSync(join(versions, version, 'bin/mooring'), launcherScript(version));
  chmodSync(join(versions, version, 'bin/mooring'), 0o755);
  symlinkSync(version, join(versions, 'current'));
  const installation = { versions, version, dataDir, state };

  const behaviours = new Map<string, TestServiceBehaviour>();
  const starts: string[] = [];
  let running: string | undefined;
  let units = version;
  let crashes = 0;
  const database = (text: string) => {
    const opened = new DatabaseSync(join(dataDir, 'mooring.db'));
    opened.exec(text);
    opened.close();
  };
  database("pragma journal_mode = wal; create table notes (text text); insert into notes values ('before')");
  const behaviour = () => behaviours.get(running ?? '') ?? 'healthy';
  const server = createServer((_, response) => {
    if (running && behaviour() === 'healthy') response.end(JSON.stringify({ status: 'ok', version: running }));
    else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const control: ServiceControl = {
    async start() {
      if (running) return;
      running = currentVersion(installation);
      starts.push(running);
      crashes = behaviour() === 'crash' ? 3 : 0;
      database(`insert into notes values ('started ${running}')`);
    },
    async stop() {
      running = undefined;
    },
    restarts: async () => crashes,
    log: async () =>
      (behaviour() === 'migrates' ? ['Migrating the database: 0099-large (1 of 2)'] : []).concat([
        '{"level":40,"msg":"starting"}',
        `TypeError: ${running} is broken`,
        '    at main.js:1:1',
      ]),
    placeUnits: async (release) => {
      units = basename(release);
    },
    isShuttingDown: async () => false,
    startUpdater: async () => {},
    isUpdaterRunning: async () => true,
  };
  await control.start();
  const { port } = server.address() as AddressInfo;
  const config = { host: '127.0.0.1', port, databaseUrl: undefined, updateUrl: 'none', dataDir, drainSeconds: 0 };

  /** Runs the updater on the journal. */
  const run = (onReport: (status: UpdateStatus) => void = () => {}): Promise<UpdateStatus> => {
    const write = statusReporter(config, () => {});
    const report = (status: UpdateStatus) => {
      write(status);
      onReport(status);
    };
    const deps = { installation, config, environment: {}, control, healthMs: 300, steadyMs: 60, report };
    return new Updater(deps, readJournal(state)!, readUpdateStatus(dataDir)).run();
  };
  const begin = (bundle: string, to: string, isExplicit = false) => {
    copyBundle(state, bundle, to);
    createJournal(state, { from: currentVersion(installation), to, source: 'bundle', requestedBy: 'cli', isExplicit });
  };
  return {
    installation,
    config,
    control,
    behaviours,
    starts,
    begin,
    run,
    database,
    update: (bundle: string, to: string, isExplicit = false) => {
      begin(bundle, to, isExplicit);
      return run();
    },
    running: () => running,
    /** The version whose units are placed. */
    units: () => units,
    current: () => currentVersion(installation),
    notes: () => {
      const opened = new DatabaseSync(join(dataDir, 'mooring.db'), { readOnly: true });
      const rows = opened.prepare('select text from notes').all() as { text: string }[];
      opened.close();
      return rows.map(({ text }) => text);
    },
    hasJournal: () => readJournal(state) !== undefined,
    close: () => void server.close(),
  };
}

export type TinyInstallation = Awaited<ReturnType<typeof tinyInstallation>>;
