import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Client, formatBytes } from '@mooring/client';
import { Failure, UsageError } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { type Output, plainText } from '../output.ts';
import { countWithNoun } from '../format.ts';
import { type UploadedFolder, uploadFolder } from './upload.ts';
import { type FolderContent, walkFolder } from './walk.ts';

export function folderAt(path: string): string {
  const folder = resolve(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Failure(`${path} is not a folder`);
  return folder;
}

/** A folder relative to the root of the source, as the API expects it. */
export function rootInside(root: string, path: string): string {
  const inside = relative(root, resolve(root, path)).split(sep).join('/');
  if (inside === '..' || inside.startsWith('../') || isAbsolute(inside))
    throw new UsageError(`--root ${path} is not inside ${root}`);
  return inside || '.';
}

export function appFolderIn(root: string, path: string): string {
  const inside = rootInside(root, path);
  if (!statSync(join(root, inside), { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(`--root ${path} is not a folder of ${root}`);
  return inside;
}

/** Collects the files of a folder to upload. */
export async function collectContent(root: string, withEnvFiles: boolean): Promise<FolderContent> {
  const content = await walkFolder(root, withEnvFiles);
  if (!content.files) throw new Failure(`there is nothing to upload in ${root}`);
  return content;
}

/** Prints what is uploaded and what is excluded, uploads it, and returns the upload session. */
export async function sendFolder(
  instance: Instance,
  client: Client,
  folder: UploadedFolder,
  out: Output,
): Promise<string> {
  announce(folder.content, out);
  return uploadFolder(instance, client, folder);
}

function announce({ files, bytes, envFiles, outsideLinks }: FolderContent, out: Output): void {
  if (envFiles.length)
    out.note(
      `Not uploaded: ${plainText(envFiles.join(', '))}. Set its variables with mooring env import, or give --include-env.`,
    );
  if (outsideLinks.length)
    out.note(`Not uploaded, because these links lead out of the folder: ${plainText(outsideLinks.join(', '))}`);
  out.note(`Uploading ${countWithNoun(files, 'file')}, ${formatBytes(bytes)}`);
}
