import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Db } from '../../../db/database.ts';
import { decodeRecipient } from '../../../lib/archive/age-keys.ts';
import { formatBytes } from '../../../lib/tree-size.ts';
import { newId } from '../../../lib/ids.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { ArchiveStores } from '../archives/archive-stores.ts';
import { newFacts, packArchive } from '../archives/format.ts';
import { sendToAll, type SendTarget } from '../archives/send.ts';
import type { BackupKeys } from '../keys/service.ts';
import type { PolicySettings } from '../policies/settings.ts';
import type { MakeInstanceBackup } from '../sources/instance.ts';
import {
  BackupError,
  type DataOwner,
  type FoundSource,
  type SourceRef,
  type BackupSources,
} from '../sources/source.ts';
import { withAfterHook } from './after-hook.ts';
import type { Job } from './job.ts';
import { type JobArchive, archivesOf, selectJob, updateJob } from './store.ts';

export type BackupDeps = {
  db: Db;
  sources: BackupSources;
  stores: ArchiveStores;
  keys: BackupKeys;
  /** Folder for temporary files. */
  folder: string;
  version: string;
  makeInstanceBackup: MakeInstanceBackup;
};

/** What a run backs up, and how. */
export type BackupPlan = {
  owner: DataOwner;
  /** Name of the project in object keys. */
  slug: string;
  sources: 'all' | SourceRef[];
  settings: Omit<PolicySettings, 'sources'>;
};

/** Backs up all sources into `backupId`, which is the job itself except before a restore. */
export async function runBackup(deps: BackupDeps, job: Job, plan: BackupPlan, backupId = job.row.id): Promise<void> {
  const { db, sources, stores } = deps;
  const { owner, settings } = plan;
  const folder = join(deps.folder, job.row.id);
  const call = { signal: job.signal, jobId: job.row.id, folder: join(folder, 'work'), say: job.say };
  // Archives that are packed but not sent everywhere survive a crash.
  if (job.isResumed) await sources.recover(owner, job.row.id);
  else await removeTree(folder);
  if (job.state.slug === undefined) await job.save({ slug: plan.slug });
  await job.phase('preparing', null);
  const found = await sources.resolve(owner, plan.sources);
  if (!found.length)
    throw new BackupError(
      'nothing_to_back_up',
      `nothing that is deployed in ${owner.environment} has a volume or a database`,
      'Add a volume, and deploy the project.',
    );
  const { targets, problems } = await stores.openTested(owner.organizationId, settings.destinationIds);
  const failures = new Map(problems.map(({ destinationId, error }) => [destinationId, error.message]));
  try {
    for (const [destinationId, reason] of failures)
      job.say(`${await stores.nameOf(owner.organizationId, destinationId)}: ${reason}`, 'error');
    if (!targets.length) throw await destinationsFailed(stores, owner, failures);
    const { before, after, service } = settings.hooks;
    if (before) await sources.runHook(owner, { service, command: before }, call);
    const backUpAll = async () => {
      for (const source of found) {
        const stored = await archivesIn(db, owner.organizationId, backupId);
        const missing = targets.filter(
          ({ destinationId }) =>
            !failures.has(destinationId) &&
            !stored.some((each) => each.destinationId === destinationId && each.name === source.name),
        );
        if (!missing.length) continue;
        await job.check();
        for (const [id, error] of await backUpOne(deps, job, plan, { source, targets: missing, backupId, call }))
          failures.set(id, error);
        if (targets.every(({ destinationId }) => failures.has(destinationId)))
          throw await destinationsFailed(stores, owner, failures);
      }
    };
    await withAfterHook(
      backUpAll,
      async (signal) => {
        if (after) await sources.runHook(owner, { service, command: after }, { ...call, signal });
      },
      job,
    );
    await writeManifests(deps, job, plan, {
      targets: targets.filter((each) => !failures.has(each.destinationId)),
      backupId,
    });
    if (!failures.size) return;
    await job.save({ isWhole: true });
    throw await destinationsFailed(stores, owner, failures);
  } finally {
    await Promise.all(targets.map(({ storage }) => storage.close()));
  }
}

type One = {
  source: FoundSource;
  targets: SendTarget[];
  backupId: string;
  call: { signal: AbortSignal; jobId: string; folder: string; say: Job['say'] };
};

/** Writes one source to the destinations. Returns those that failed. */
async function backUpOne(
  deps: BackupDeps,
  job: Job,
  plan: BackupPlan,
  { source, targets, backupId, call }: One,
): Promise<Map<string, string>> {
  const { db } = deps;
  const { organizationId } = plan.owner;
  const { encryption, bandwidthLimit } = plan.settings;
  const { file, bytes, contentBytes } = await packSource(deps, job, plan, { source, call });
  await job.phase(`sending ${source.name}`, bytes * targets.length);
  const key = objectKey(job, `${source.name}.tar.zst${encryption.enabled ? '.age' : ''}`, backupId);
  const { sent, failed } = await sendToAll(file, targets, {
    key,
    signal: job.signal,
    limit: bandwidthLimit,
    onBytes: job.count,
    onSent: () => void job.phase(`verifying ${source.name}`, null, 'verifying').catch(() => {}),
  });
  const made = sent.map(({ destinationId, bytes: stored, sha256 }): JobArchive => {
    const facts = { id: newId('bka'), name: source.name, ref: source.ref, destinationId, key };
    return { ...facts, bytes: stored, contentBytes, sha256, encrypted: encryption.enabled, verifiedAt: Date.now() };
  });
  await job.requireHeld();
  const before = await archivesIn(db, organizationId, backupId);
  await updateJob(db, { organizationId, id: backupId }, { archives: JSON.stringify([...before, ...made]) });
  const where = targets.length > 1 ? ` at ${sent.length} of ${targets.length} destinations` : '';
  if (sent.length) job.say(`${source.name}: ${formatBytes(contentBytes)}, stored and verified${where}`);
  await removeTree(dirname(file));
  return new Map(failed.map(({ destinationId, error }) => [destinationId, error.message]));
}

type Packed = { file: string; bytes: number; contentBytes: number };

/**
 * Packs one source into a file of this machine, which is sent afterwards. Reasons: if a file changed meanwhile, the source
 * can be read again, while bytes at a destination cannot be taken back; services are paused only for a local copy and not
 * for an upload; the total size is known; and an interrupted upload continues with the same bytes. The price is disk
 * space for the archive.
 */
async function packSource(
  { sources, keys, folder, version }: BackupDeps,
  job: Job,
  { owner, slug, settings }: BackupPlan,
  { source, call }: Pick<One, 'source' | 'call'>,
): Promise<Packed> {
  const place = join(folder, job.row.id, source.name);
  const [file, draft, facts] = [join(place, 'archive'), join(place, 'draft'), join(place, 'packed.json')];
  const { encryption, consistency } = settings;
  const own = encryption.enabled ? [await keys.recipient(owner.organizationId)] : [];
  const others = (encryption.recipients ?? []).map((each) => decodeRecipient(each)!);
  const recipients = encryption.enabled ? [...own, ...others] : null;
  // The policy may have been changed since a crash.
  const made = JSON.stringify([source.ref, recipients?.map((each) => each.toString('hex')) ?? null]);
  const done = await readFile(facts, 'utf8').catch(ifMissing);
  const earlier = done && (JSON.parse(done) as Omit<Packed, 'file'> & { made: string });
  if (earlier && earlier.made === made) return { ...earlier, file };
  await job.phase(`reading ${source.name}`, null);
  for (const each of [call.folder, place]) {
    await removeTree(each);
    await mkdir(each, { recursive: true, mode: 0o700 });
  }
  const { environment } = owner;
  const about = newFacts({ mooring: version, source: source.ref, name: source.name, project: slug, environment });
  let [bytes, contentBytes] = [0, 0];
  const onBytes = (count: number) => {
    contentBytes += count;
    job.count(count);
  };
  await sources.read(owner, source.ref, { ...call, consistency }, async (fill) => {
    await job.phase(`reading ${source.name}`, null);
    contentBytes = 0;
    bytes = await packArchive(draft, about, { recipients, signal: job.signal, onBytes }, fill);
  });
  await removeTree(call.folder);
  await rename(draft, file);
  await writeFile(facts, JSON.stringify({ bytes, contentBytes, made }), { flush: true });
  return { file, bytes, contentBytes };
}

const ifMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};

/** The same after a crash, so that a repeated upload replaces the first one. */
function objectKey({ row, state }: Job, name: string, backupId: string): string {
  const stamp = new Date(row.startedAt ?? row.createdAt).toISOString().replaceAll(/[:-]|\.\d+/g, '');
  return `${state.slug!}/${stamp}-${backupId}/${name}`;
}

/** Written last: a backup with a manifest is whole. */
async function writeManifests(
  { db, version }: BackupDeps,
  job: Job,
  { owner, slug }: BackupPlan,
  { targets, backupId }: { targets: SendTarget[]; backupId: string },
): Promise<void> {
  const archives = await archivesIn(db, owner.organizationId, backupId);
  const key = objectKey(job, 'manifest.json', backupId);
  for (const { destinationId, storage } of targets) {
    const own = archives.filter((each) => each.destinationId === destinationId);
    const manifest = {
      format: 1,
      mooring: version,
      backup: backupId,
      project: slug,
      environment: owner.environment,
      createdAt: new Date().toISOString(),
      archives: own.map(({ ref, key: object, bytes, contentBytes, sha256, encrypted }) => {
        return { source: ref, key: object, bytes, contentBytes, sha256, encrypted };
      }),
    };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    await storage.put(key, Readable.from([text], { objectMode: false }), { signal: job.signal });
  }
}

async function archivesIn(db: Db, organizationId: string, backupId: string): Promise<JobArchive[]> {
  const row = await selectJob(db, organizationId, backupId);
  return row ? archivesOf(row) : [];
}

async function destinationsFailed(
  stores: ArchiveStores,
  { organizationId }: DataOwner,
  failures: Map<string, string>,
): Promise<BackupError> {
  const reasons = await Promise.all(
    [...failures].map(async ([id, reason]) => `${await stores.nameOf(organizationId, id)}: ${reason}`),
  );
  return new BackupError(
    'destination_failed',
    `the backup could not be stored: ${reasons.join('; ')}`,
    'Test the destination, for example with mooring destination test.',
  );
}
