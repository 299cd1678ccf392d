import { join, posix } from 'node:path';
import { z } from '../../../lib/zod/index.ts';
import { inTransaction } from '../../../db/database.ts';
import { fieldError } from '../../../http/input.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { newId } from '../../../lib/ids.ts';
import { lockExistingProject } from '../../projects/port.ts';
import { openFile } from '../contents/source.ts';
import { StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { bringBackVolume, insertVolume, selectVolumes, type VolumeRow } from '../model/volume-store.ts';
import { pathsClash, readVolumePath, volumeName } from '../model/volumes.ts';

export const mooringFile = 'mooring.json';
const mostBytes = 1_000_000;

const path = z
  .string()
  .max(500)
  .transform((text, context) => {
    const read = readVolumePath(text);
    if ('path' in read) return read.path;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });
const Details = z.object({ path, service: z.string().max(100).optional(), overlap: z.boolean().default(false) });
/** `"volumes": {"data": "data"}`, or an object with more details. */
const File = z.object({
  volumes: z
    .record(
      z.string().regex(volumeName, { error: 'is not a valid volume name' }),
      // Not a union, whose error would not say what is wrong.
      z.preprocess((given) => (typeof given === 'string' ? { path: given } : given), Details),
    )
    .default({}),
});

/** Applies the volumes that `mooring.json` in the app's folder declares. */
export async function declareVolumes(context: StepContext): Promise<void> {
  const { db, deployment, parts, config, log } = context;
  const { organizationId, projectId, environment } = deployment;
  const declared = Object.entries((await readFileOf(context)).volumes).map(
    ([name, { path: wanted, overlap, service = null }]) => {
      return { name, path: wanted, service, overlap: Number(overlap), removedAt: null, purge: 0 };
    },
  );
  if (!declared.length) return;
  const absolute = parts.containers ? undefined : declared.find((each) => posix.isAbsolute(each.path));
  if (absolute) throw wrong(`volumes.${absolute.name} must be relative to the folder of the app: it runs as a process`);
  const lines = await inTransaction(db, async (trx) => {
    await lockExistingProject(trx, organizationId, projectId);
    const known = (await selectVolumes(trx, deployment)).filter((row) => row.environment === environment);
    requireNoClash(known, declared, config.slug);
    const changed: string[] = [];
    for (const { name, ...says } of declared) {
      const before = known.find((row) => row.name === name);
      const isSame = before && Object.entries(says).every(([key, value]) => before[key as keyof typeof says] === value);
      if (isSame) continue;
      changed.push(`${mooringFile}: the volume ${name} is mounted at ${says.path}`);
      if (before) {
        if (!(await bringBackVolume(trx, before, says, { untilClaimed: true }))) throw isBeingDeleted(name);
      } else {
        const made = { id: newId('vol'), organizationId, projectId, environment, name, engineId: null };
        await insertVolume(trx, { ...made, ...says, createdAt: Date.now() });
      }
    }
    return changed;
  });
  for (const line of lines) log(line);
}

type Place = Pick<VolumeRow, 'name' | 'path' | 'service'>;

/** Rejects volumes at overlapping paths, because one would hide the other's data. */
function requireNoClash(known: readonly VolumeRow[], declared: readonly Place[], slug: string): void {
  const isDeclared = ({ name }: Place) => declared.some((each) => each.name === name);
  const others = known.filter((row) => row.removedAt === null && !isDeclared(row));
  // A volume without a service may belong to any service.
  const isBeside = (a: Place, b: Place) => a.service === null || b.service === null || a.service === b.service;
  for (const [index, each] of declared.entries()) {
    const near = [...others, ...declared.slice(index + 1)].find(
      (other) => isBeside(each, other) && pathsClash(each.path, other.path),
    );
    if (!near) continue;
    const hint = isDeclared(near)
      ? 'Choose paths that are not inside one another.'
      : `Choose another path or the name ${near.name}, or remove ${near.name}, whose data stays: ` +
        `mooring volume remove ${slug} ${near.name}.`;
    throw wrong(`the volume ${each.name} at ${each.path} clashes with the volume ${near.name} at ${near.path}`, hint);
  }
}

async function readFileOf({ parts, config, deployment }: StepContext): Promise<z.output<typeof File>> {
  const text = await textIn(join(parts.folders.release(deployment.artifactId), config.rootDirectory));
  if (text === undefined) return { volumes: {} };
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw wrong('it is not valid JSON');
  }
  const read = File.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw wrong(fieldError(issue!, content).message.replace(/^body/, 'it'));
}

async function textIn(folder: string): Promise<string | undefined> {
  const held = await HeldFolder.open(folder);
  try {
    const file = await openFile(held, mooringFile);
    if (!file) return undefined;
    try {
      if ((await file.stat()).size > mostBytes) throw wrong('it is larger than 1 MB');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } finally {
    await held.close();
  }
}

const form = 'Volumes are written as {"volumes": {"data": "data"}}.';
const wrong = (why: string, hint = form): StepError =>
  new StepError('bad_mooring_json', `${mooringFile}: ${why}`, hint);

const isBeingDeleted = (name: string): StepError =>
  new StepError(
    'volume_deleting',
    `The data of the volume ${name} is still being deleted`,
    'Deploy again in a moment.',
  );
