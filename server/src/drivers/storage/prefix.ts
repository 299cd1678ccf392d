import { complaintOfPath } from './keys.ts';
import { type HomeOptions, type Storage, StorageError } from './storage.ts';

/** Returns why a `pathPrefix` is invalid, as the rest of a sentence after the field's name; undefined if it is
 * valid. */
export function complaintOfPrefix(prefix: string): string | undefined {
  const bare = bareOf(prefix);
  return bare ? complaintOfPath(bare) : undefined;
}

/** Returns the same destination below a folder. A leading slash means the root of the server where that exists
 * (SFTP), and nothing elsewhere. */
export function withPrefix(storage: Storage, prefix: string): Storage {
  const complaint = complaintOfPrefix(prefix);
  if (complaint) throw new StorageError('misconfigured', `pathPrefix ${complaint}`);
  const inner = (prefix.startsWith('/') && storage.fromTop?.()) || storage;
  const bare = bareOf(prefix);
  if (!bare) return inner;
  const before = `${bare}/`;
  const atHome = <T extends HomeOptions>(options: T): T => ({ ...options, home: before + (options.home ?? '') });
  return {
    put: (key, body, options) => inner.put(before + key, body, atHome(options)),
    get: (key, options) => inner.get(before + key, options),
    async *list(below, options) {
      for await (const object of inner.list(before + below, options))
        yield { ...object, key: object.key.slice(before.length) };
    },
    delete: (key, options) => inner.delete(before + key, options),
    async sweep(options) {
      const { removed, problems } = await inner.sweep(atHome(options));
      return { removed: removed.map((key) => key.slice(before.length)), problems };
    },
    close: () => inner.close(),
  };
}

/** Leading and trailing slashes do not matter. */
const bareOf = (prefix: string): string => prefix.replace(/^\/+/, '').replace(/\/+$/, '');
