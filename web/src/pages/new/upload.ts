import { ApiError, type Schemas, unwrap } from '@mooring/client';
import { client } from '../../api.ts';

/** Uploads a gzipped tar and returns the id of the upload session for a deployment. */
export async function upload(archive: Blob, onProgress: (share: number) => void): Promise<string> {
  const session = await unwrap(client.POST('/api/projects/folder/session', { body: { mode: 'local' } }));
  const { url, method, headers } = session.upload;
  await new Promise<void>((resolve, reject) => {
    // `fetch` reports no upload progress.
    const request = new XMLHttpRequest();
    request.open(method, new URL(url, window.location.origin).pathname);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0));
    request.addEventListener('load', () => {
      if (request.status < 300) resolve();
      else reject(new ApiError(request.status, bodyOf(request.responseText)));
    });
    request.addEventListener('error', () => reject(new Error('The upload was interrupted. Try again.')));
    request.send(archive);
  });
  return session.sessionId;
}

function bodyOf(text: string): Partial<Schemas['Error']> | undefined {
  try {
    return JSON.parse(text) as Partial<Schemas['Error']>;
  } catch {
    return undefined;
  }
}
