import { join } from 'node:path';
import { z } from 'zod';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { newId } from '../../../lib/ids.ts';
import { openFile } from '../contents/source.ts';
import { StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { bringBackVolume, insertVolume, selectVolumes } from '../model/volume-store.ts';
import { volumeName, volumePath } from '../model/volumes.ts';

const fileName = 'mooring.json';
const mostBytes = 1_000_000;

const path = z
  .string()
  .max(500)
  .transform((text, context) => {
    const plain = volumePath(text);
    if (plain === undefined) context.addIssue({ code: 'custom', message: 'must be a folder inside of the app' });
    return plain ?? '';
  });
const Details = z.object({ path, service: z.string().max(100).optional(), overlap: z.boolean().default(false) });
/** `"volumes": {"data": "data"}`, or with more to say of each. */
const File = z.object({
  volumes: z
    .record(
      z.string().regex(volumeName, { error: 'is not a name of a volume' }),
      z.union([path.transform((given) => ({ path: given, overlap: false })), Details]),
    )
    .default({}),
});

/** What `mooring.json` in the folder of the app says of volumes counts from this deployment on. */
export async function declareVolumes(context: StepContext): Promise<void> {
  const { db, deployment, log } = context;
  const { organizationId, projectId, environment } = deployment;
  const { volumes } = await readFileOf(context);
  const known = (await selectVolumes(db, deployment)).filter((row) => row.environment === environment);
  for (const [name, { path: wanted, overlap, ...more }] of Object.entries(volumes)) {
    const service = 'service' in more ? (more.service ?? null) : null;
    const says = { path: wanted, service, overlap: Number(overlap), removedAt: null, purge: 0 };
    const before = known.find((row) => row.name === name);
    const isSame = before && Object.entries(says).every(([key, value]) => before[key as keyof typeof before] === value);
    if (isSame) continue;
    log(`${fileName}: the volume ${name} is mounted at ${wanted}`);
    if (before) {
      if (!(await bringBackVolume(db, before, says, { untilClaimed: true }))) throw isBeingDeleted(name);
    } else {
      const made = { id: newId('vol'), organizationId, projectId, environment, name, engineId: null };
      await insertVolume(db, { ...made, ...says, createdAt: Date.now() });
    }
  }
}

async function readFileOf({ parts, config, deployment }: StepContext): Promise<z.output<typeof File>> {
  const text = await textIn(join(parts.folders.release(deployment.artifactId), config.rootDirectory));
  if (text === undefined) return { volumes: {} };
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw wrong('it is not JSON');
  }
  const read = File.safeParse(content);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw wrong(`${issue!.path.join('.') || 'it'} ${issue!.message}`);
}

async function textIn(folder: string): Promise<string | undefined> {
  const held = await HeldFolder.open(folder);
  try {
    const file = await openFile(held, fileName);
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

const wrong = (why: string): StepError =>
  new StepError('bad_mooring_json', `${fileName}: ${why}`, 'Volumes are written as {"volumes": {"data": "data"}}.');

const isBeingDeleted = (name: string): StepError =>
  new StepError(
    'volume_deleting',
    `The data of the volume ${name} is still being deleted`,
    'Deploy again in a moment.',
  );
