import type { ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readUpdateStatus, type UpdateStatus } from '../../src/areas/instance/port.ts';
import { currentVersion } from '../../src/operator/update/installation.ts';
import { readJournal } from '../../src/operator/update/journal.ts';
import { ownerEmail, ownerPassword, ownerToken } from './app.ts';
import { makeRelease, type ReleaseKey } from './bundles.ts';
import { endProcessesOf, exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export type UpdaterKill = { phase: string; afterMs: number };

/** A machine with an installed release, whose service and updater are supervised like systemd does it. */
export interface UpdateMachine {
  versions: string;
  dataDir: string;
  state: string;
  /** The folder with the placed units. */
  units: string;
  service: Service;
  current(): string;
  /** Runs the `mooring` command of the installed version. */
  mooring(...args: string[]): Promise<{ code: number | NodeJS.Signals; output: string }>;
  /** The next updater kills itself there, once. Also makes it wait less for health. */
  killUpdater(kill: UpdaterKill): void;
  /** Restarts the service without an update. */
  restart(): Promise<void>;
  /** As mooring-update.path does when there is a request. */
  startUpdater(): void;
  updaterRuns(): number;
  status(): UpdateStatus | undefined;
  /** Waits until no update is unfinished. */
  settled(withinMs?: number): Promise<UpdateStatus>;
  close(): Promise<void>;
}

type Options = { version: string; key: ReleaseKey; updateUrl?: string; env?: Record<string, string>; root?: string };

export async function startUpdateMachine(options: Options): Promise<UpdateMachine> {
  const { version, key, updateUrl = 'none', env = {}, root = newFolder('machine') } = options;
  const [versions, dataDir] = [join(root, 'opt/mooring'), join(root, 'var/lib/mooring')];
  const state = `${dataDir}-update`;
  const [programs, units] = [join(root, 'programs'), join(root, 'etc/systemd/system')];
  for (const folder of [versions, dataDir, state, programs]) mkdirSync(folder, { recursive: true });
  makeRelease(join(versions, version), version, key);
  cpSync(join(versions, version, 'units'), units, { recursive: true });
  symlinkSync(version, join(versions, 'current'));
  // Users of projects pass through.
  chmodSync(root, 0o755);
  // curl, because starting Node each time would dominate what the tests measure.
  const forward =
    'printf "%s\\n" "$(basename "$0")" "$@" | exec curl -sf --unix-socket "$TEST_SYSTEMD" --data-binary @- http://systemd/';
  for (const name of ['systemctl', 'journalctl'])
    writeFileSync(join(programs, name), `#!/bin/sh\n${forward}\n`, { mode: 0o755 });
  const port = await freePort();
  const socket = join(root, 'systemd.sock');
  const environment: Record<string, string> = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    HOME: newFolder('home'),
    PORT: String(port),
    MOORING_DATA_DIR: dataDir,
    MOORING_EDGE_PORT: '0',
    MOORING_EDGE_TLS_PORT: '0',
    MOORING_RUNTIME: 'process',
    MOORING_LOG_LEVEL: 'warn',
    MOORING_UPDATE_URL: updateUrl,
    MOORING_ADMIN_EMAIL: ownerEmail,
    MOORING_ADMIN_PASSWORD: ownerPassword,
    MOORING_ADMIN_TOKEN: ownerToken,
    TEST_SYSTEMD: socket,
    ...env,
  };
  const service = supervise(() =>
    spawnRecorded(join(versions, 'current/bin/node'), [join(versions, 'current/server/dist/main.js')], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let kill: UpdaterKill | undefined;
  let isQuick = false;
  let updaterRuns = 0;
  const updater = supervise(() => {
    updaterRuns++;
    const task = { versions, state, killIn: kill?.phase ?? null, afterMs: kill?.afterMs ?? 0, healthMs: 30_000 };
    const own = join(import.meta.dirname, 'updater-program.ts');
    kill = undefined;
    const [file, args] = isQuick
      ? [process.execPath, [own, JSON.stringify(task)]]
      : [join(versions, 'current/bin/mooring'), ['update', '--run']];
    return spawnRecorded(file, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  }, 'on-failure');
  const properties: Record<string, () => string> = {
    NRestarts: () => String(service.restarts()),
    FragmentPath: () => `FragmentPath=${join(units, 'mooring.service')}\nUser=\nNeedDaemonReload=no\n`,
  };
  const answers: Record<string, (args: string[]) => Promise<string> | string> = {
    'systemctl start mooring.service': () => service.start(),
    'systemctl stop mooring.service': () => service.stop(),
    'systemctl show mooring.service': ([, property = '']) => properties[property.slice('--property='.length)]!(),
    'systemctl daemon-reload daemon-reload': () => '',
    'systemctl start mooring-update.service': () => updater.start(),
    'systemctl show mooring-update.service': () => (updater.isRunning() ? 'activating' : 'inactive'),
    'journalctl --lines=400': (args) => service.log(1000 * Number(/@([\d.]+)/.exec(args.join(' '))![1])),
  };
  const systemd = createServer((request, response) => {
    void (async () => {
      const [program = '', ...args] = (await text(request)).trimEnd().split('\n');
      const verb = program === 'journalctl' ? '' : args[0];
      const answer = answers[[program, verb, args.at(-1)].filter(Boolean).join(' ')];
      response.statusCode = answer || verb === 'reset-failed' ? 200 : 500;
      response.end(await answer?.(args));
    })();
  });
  await new Promise<void>((resolve) => systemd.listen(socket, resolve));
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${ownerToken}` };
  const send = (method: string) => (path: string, body: unknown) =>
    fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const machine: UpdateMachine = {
    versions,
    dataDir,
    state,
    units,
    service: {
      url,
      dataDir,
      get child() {
        return service.child()!;
      },
      output: () => service.log(0),
      get: (path) => fetch(url + path, { headers }),
      post: send('POST'),
      patch: send('PATCH'),
      stop: async () => 0,
    },
    current: () => currentVersion({ versions }),
    async mooring(...args) {
      const child = spawnRecorded(join(versions, 'current/bin/mooring'), args, {
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [out, error, code] = await Promise.all([text(child.stdout!), text(child.stderr!), exited(child)]);
      return { code, output: out + error };
    },
    killUpdater(where) {
      kill = where;
      isQuick = true;
    },
    async restart() {
      await service.stop();
      service.start();
      await until('the service answers', async () => (await fetch(`${url}/api/health`)).ok);
    },
    startUpdater: () => void updater.start(),
    updaterRuns: () => updaterRuns,
    status: () => readUpdateStatus(dataDir),
    async settled(withinMs = 90_000) {
      await until('the update has ended', () => !readJournal(state) && !updater.isRunning(), withinMs);
      return readUpdateStatus(dataDir)!;
    },
    async close() {
      await updater.stop();
      await service.stop();
      systemd.close();
      endProcessesOf(dataDir);
    },
  };
  service.start();
  await until('the service answers', async () => (await fetch(`${url}/api/health`)).ok);
  return machine;
}

/** Restarts a program like systemd: `always`, or only after a failure. */
function supervise(spawn: () => ChildProcess, restart: 'always' | 'on-failure' = 'always') {
  const lines: { at: number; text: string }[] = [];
  let child: ChildProcess | undefined;
  let isWanted = false;
  let restarts = 0;
  const launch = () => {
    const one = (child = spawn());
    for (const stream of [one.stdout!, one.stderr!])
      stream.setEncoding('utf8').on('data', (chunk: string) => lines.push({ at: Date.now(), text: chunk }));
    one.once('exit', (code) => {
      child = undefined;
      if (!isWanted) return;
      if (code === 0 && restart === 'on-failure') isWanted = false;
      else
        setTimeout(() => {
          if (!isWanted || child) return;
          restarts++;
          launch();
        }, 100);
    });
  };
  return {
    child: () => child,
    isRunning: () => isWanted,
    restarts: () => restarts,
    log: (since: number) =>
      lines
        .filter(({ at }) => at >= since)
        .map((line) => line.text)
        .join(''),
    start(): string {
      if (isWanted) return '';
      isWanted = true;
      restarts = 0;
      launch();
      return '';
    },
    async stop(): Promise<string> {
      isWanted = false;
      const one = child;
      if (!one) return '';
      one.kill('SIGTERM');
      const timer = setTimeout(() => one.kill('SIGKILL'), 10_000);
      await exited(one);
      clearTimeout(timer);
      return '';
    },
  };
}
