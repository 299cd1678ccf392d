import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '@mooring/client';
import { Failure } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { type Output, plain } from '../output.ts';
import { countOf, inBytes } from '../words.ts';
import { uploadFolder } from './upload.ts';
import { type FolderContent, walkFolder } from './walk.ts';

export function folderAt(path: string): string {
  const folder = resolve(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Failure(`${path} is not a folder`);
  return folder;
}

/** What is to be uploaded of a folder. */
export async function contentOf(root: string, withEnvFiles: boolean): Promise<FolderContent> {
  const content = await walkFolder(root, withEnvFiles);
  if (!content.files) throw new Failure(`there is nothing to upload in ${root}`);
  return content;
}

/** Says what goes and what stays, and sends it; gives the session that a deployment names. */
export async function sendFolder(
  instance: Instance,
  client: Client,
  folder: { projectId: string; root: string; content: FolderContent },
  out: Output,
): Promise<string> {
  announce(folder.content, out);
  return uploadFolder(instance, client, folder);
}

function announce({ files, bytes, envFiles, outsideLinks }: FolderContent, out: Output): void {
  if (envFiles.length)
    out.note(`Not uploaded: ${plain(envFiles.join(', '))}. Set variables with mooring env set, or give --include-env.`);
  if (outsideLinks.length)
    out.note(`Not uploaded, because they lead out of the folder: ${plain(outsideLinks.join(', '))}`);
  out.note(`Uploading ${countOf(files, 'file')}, ${inBytes(bytes)}`);
}
