import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// The service's state on this machine, read from outside: its database, folders and processes.

export type StepState = { name: string; status: string; attempt: number };
export type DeploymentState = {
  id: string;
  status: string;
  project_id: string;
  active: number;
  artifact_id: string;
  artifact_kept: number;
  lease_owner: string | null;
  last_seq: number;
};

/** Reads with its own connection, even while the service writes or is dead. */
export function readInside<T>(dataDir: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dataDir, 'mooring.db'), { readOnly: true, timeout: 5000 });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

export const stepsOf = (dataDir: string, id: string): StepState[] =>
  readInside(
    dataDir,
    (database) =>
      database
        .prepare('select name, status, attempt from deployment_steps where deployment_id = ? order by position')
        .all(id) as StepState[],
  );

/** The progress in a word or two: `build running`, or `build done, start waiting`. */
export function standOf(steps: StepState[]): string {
  const running = steps.find(({ status }) => status === 'running');
  if (running) return `in ${running.name}`;
  const next = steps.find(({ status }) => status === 'waiting');
  return steps.length ? (next ? `before ${next.name}` : 'at its end') : 'in the queue';
}

export const deploymentsIn = (dataDir: string): DeploymentState[] =>
  readInside(
    dataDir,
    (database) => database.prepare('select * from deployments order by id').all() as DeploymentState[],
  );

export const eventsIn = (dataDir: string, id: string): { seq: number; type: string; data: string }[] =>
  readInside(
    dataDir,
    (database) =>
      database
        .prepare('select seq, type, data from deployment_events where deployment_id = ? order by seq')
        .all(id) as { seq: number; type: string; data: string }[],
  );

/** Locks the database against writers until released: the service cannot record what it has just done. */
export function holdDatabase(dataDir: string): { letGo(): void } {
  const database = new DatabaseSync(join(dataDir, 'mooring.db'), { timeout: 5000 });
  database.exec('BEGIN IMMEDIATE');
  return {
    letGo() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

export type OurProcess = { pid: number; what: 'service' | 'edge' | 'supervisor' | 'app' | 'command'; of: string };

/** All processes of a data folder. `of` is the deployment, or another distinguishing part. */
export function processesOf(dataDir: string): OurProcess[] {
  const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return own.flatMap((pid) => {
    try {
      if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return [];
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const found = classify(
        dataDir,
        args,
        readFileSync(`/proc/${pid}/environ`, 'utf8'),
        readlinkSync(`/proc/${pid}/cwd`),
      );
      return found ? [{ pid: Number(pid), ...found }] : [];
    } catch {
      // It has ended, or is not readable.
      return [];
    }
  });
}

function classify(
  dataDir: string,
  args: string[],
  environment: string,
  cwd: string,
): Omit<OurProcess, 'pid'> | undefined {
  const inside = (path: string) => path.startsWith(`${dataDir}/`);
  const release = (path: string) => path.slice(`${dataDir}/releases/`.length).split('/')[0]!;
  if (args.some((each) => basename(each) === 'supervisor.cjs') && args.some(inside))
    return { what: 'supervisor', of: /\/instances\/(\w+)-/.exec(args.find(inside)!)?.[1] ?? '' };
  if (args.some((each) => basename(each) === 'edge.cjs') && args.includes(dataDir))
    return args.includes('--worker') ? undefined : { what: 'edge', of: '' };
  if (`\0${environment}`.includes(`\0MOORING_DATA_DIR=${dataDir}\0`)) return { what: 'service', of: '' };
  if (!inside(cwd) && !args.some(inside) && !environment.includes(`=${dataDir}/`)) return undefined;
  const isApp = `\0${environment}`.includes('\0MOORING_PROCESS=');
  return { what: isApp ? 'app' : 'command', of: release(cwd) };
}

export const edgeOf = (dataDir: string): number => {
  const edge = processesOf(dataDir).find(({ what }) => what === 'edge');
  if (!edge) throw new Error('no edge runs');
  return edge.pid;
};
