import { type Stats, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenFile } from './files.ts';
import { isUnchanged } from './range.ts';

/** How long a name leads to the same file, and to the same compressed one. Its content is never old. */
const keptMs = 1000;
const mostBytes = 4_000_000;

/** A response with a small file, and the files that it was made from. */
export interface HotFile {
  headers: Record<string, string>;
  etag: string;
  lastModified: string;
  body: Buffer;
  sources: readonly Pick<OpenFile, 'path' | 'stat'>[];
}

/** Small files that were just sent. One that is still the same is sent again without opening it, which takes most of
 * the time otherwise: resolving its path, opening and reading each wait for another thread. */
export class HotFiles {
  /** Oldest first. */
  readonly #kept = new Map<string, HotFile & { until: number }>();
  #bytes = 0;

  get(name: string): HotFile | null {
    const found = this.#kept.get(name);
    if (!found) return null;
    if (found.until > performance.now() && found.sources.every(isSame)) return found;
    this.#drop(name);
    return null;
  }

  keep(name: string, file: HotFile): void {
    this.#drop(name);
    this.#kept.set(name, { ...file, until: performance.now() + keptMs });
    this.#bytes += bytesOf(name, file);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= mostBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const file = this.#kept.get(name);
    if (!file) return;
    this.#bytes -= bytesOf(name, file);
    this.#kept.delete(name);
  }
}

/** A name may be long, and one file may have many: `//a` is `/a`. */
const bytesOf = (name: string, { body }: HotFile): number => body.length + 2 * name.length + 1000;

/** Whether the path still leads to the file, unchanged: users cannot set the ctime. */
function isSame({ path, stat }: { path: string; stat: Stats }): boolean {
  try {
    const now = statSync(path, { throwIfNoEntry: false });
    return (
      now !== undefined &&
      now.ino === stat.ino &&
      now.dev === stat.dev &&
      now.ctimeMs === stat.ctimeMs &&
      now.size === stat.size
    );
  } catch {
    // It cannot be reached any more; opening it will tell why.
    return false;
  }
}

export function sendHot(request: IncomingMessage, response: ServerResponse, file: HotFile): void {
  const { headers, etag, lastModified, body } = file;
  if (isUnchanged(request.headers, etag, lastModified)) {
    response.writeHead(304, headers);
    return void response.end();
  }
  response.writeHead(200, { ...headers, 'Content-Length': body.length });
  return void response.end(request.method === 'HEAD' ? undefined : body);
}
