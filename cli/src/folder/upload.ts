import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ApiError, type Client, formatBytes, type Schemas, unwrap } from '@mooring/client';
import { type Instance, sendRequest } from '../instance.ts';
import { StatusLine } from '../status-line.ts';
import { writeTar } from './tar.ts';
import type { FolderContent } from './walk.ts';

const redrawMs = 100;

/** Without a project, the upload can only be inspected. */
export type UploadedFolder = { projectId?: string; root: string; content: FolderContent };

/** Streams a folder as a gzipped tar. Returns the upload session. */
export async function uploadFolder(
  instance: Instance,
  client: Client,
  { projectId, root, content }: UploadedFolder,
): Promise<string> {
  const body = { mode: 'local' as const, ...(projectId !== undefined && { projectId }) };
  const { sessionId, upload } = await unwrap(client.POST('/api/projects/folder/session', { body }));
  const line = new StatusLine();
  const archive = Readable.from(writeTar(root, content.entries)).compose(createGzip());
  // The session's headers authorize the upload, so the token is not sent.
  const response = await sendArchive(instance, upload, counted(archive, line)).finally(() => line.clear());
  if (!response.ok)
    throw new ApiError(response.status, (await response.json().catch(() => undefined)) as Schemas['Error'] | undefined);
  return sessionId;
}

async function sendArchive(
  { url }: Instance,
  { url: path, method, headers }: Schemas['UploadSession']['upload'],
  archive: AsyncIterable<Buffer>,
): Promise<Response> {
  const init: RequestInit = { method, headers, body: archive, duplex: 'half' };
  return sendRequest({ url }, new URL(path, url), init);
}

async function* counted(archive: AsyncIterable<Buffer>, line: StatusLine): AsyncGenerator<Buffer> {
  let sent = 0;
  let shownAt = 0;
  for await (const chunk of archive) {
    yield chunk;
    sent += chunk.length;
    // Throttles the progress display.
    if (Date.now() - shownAt < redrawMs) continue;
    line.set(`Uploading: ${formatBytes(sent)}`);
    shownAt = Date.now();
  }
}
