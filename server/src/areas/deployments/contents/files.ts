import type { FileContent, FileOwner } from '../model/contents.ts';
import { createHash } from 'node:crypto';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { StepError } from '../model/model.ts';
import { changedWhileRead, withSource } from './source.ts';
import { digestFile } from './tree.ts';

const readableByAll = 0o444;

/** Returns a digest over content, owner and permissions, and a function that writes the file. */
export async function prepareFile(
  from: FileContent,
  { uid, gid, mode }: FileOwner,
): Promise<{ digest: string; write: (to: string) => Promise<void> }> {
  const owner = { uid: numberOf('uid', uid), gid: numberOf('gid', gid) };
  const permissions = (mode ?? readableByAll) & 0o777;
  const content = await contentDigest(from);
  const note = JSON.stringify(['owned file', content, owner.uid, owner.gid, permissions]);
  return {
    digest: createHash('sha256').update(note).digest('hex'),
    async write(to) {
      if ((await contentDigest(from, to)) !== content) throw changedWhileRead('path' in from ? from.path : 'a text');
      await chmod(to, permissions);
      if (owner.uid !== null || owner.gid !== null) await chown(to, owner.uid ?? ours.uid, owner.gid ?? ours.gid);
    },
  };
}

const ours = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

/** With `to`, also writes the content there. */
async function contentDigest(from: FileContent, to?: string): Promise<string> {
  if ('content' in from) {
    if (to !== undefined) await writeFile(to, from.content, { flag: 'wx', mode: 0o600 });
    return createHash('sha256').update(from.content).digest('hex');
  }
  return withSource(from.releaseFolder, from.path, async (opened) => {
    if (!opened) throw new StepError('no_such_file', `${from.path} is not a file of the source`);
    if (opened.kind !== 'file') throw new StepError('no_such_file', `${from.path} is a folder; it must be a file`);
    const [, digest] = await digestFile(opened.file, to);
    return digest;
  });
}

/** User names exist only in the image, so they must be numeric. Only root can change a file's owner. */
function numberOf(field: 'uid' | 'gid', value: string | null): number | null {
  if (value === null) return null;
  if (!/^\d{1,9}$/.test(value)) throw new StepError('bad_owner', `${field} must be a number, not ${value}`);
  if (ours.uid !== 0 && Number(value) !== ours[field])
    throw new StepError('bad_owner', `${field} ${value} of a config or secret needs a service that runs as root`);
  return Number(value);
}
