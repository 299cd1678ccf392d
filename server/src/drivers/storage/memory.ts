import { Readable } from 'node:stream';
import { BlockPool, blocksOf, consumeBody } from './incoming-body.ts';
import { checkObjectKey, checkListPrefix, inKeyOrder } from './keys.ts';
import { checkRange } from './range.ts';
import { type Storage, StorageError, type StorageKind } from './storage.ts';
import { Digester } from './verify.ts';
import { storageField, textValue } from './values.ts';

type Stored = { content: Buffer; modifiedAt: number };

/** Keeps objects in this process, for tests. */
export function createMemoryStorage(objects = new Map<string, Stored>()): Storage {
  return {
    put: (key, body, options) =>
      consumeBody(body, options, async () => {
        checkObjectKey(key);
        const blocks: Buffer[] = [];
        const digester = new Digester();
        for await (const block of blocksOf(body, new BlockPool(65_536), options.signal)) {
          digester.update(block);
          blocks.push(block);
        }
        objects.set(key, { content: Buffer.concat(blocks), modifiedAt: Date.now() });
        return digester.digest();
      }),
    async get(key, { signal, range }) {
      signal.throwIfAborted();
      checkObjectKey(key);
      checkRange(range);
      const found = objects.get(key);
      if (!found) throw new StorageError('not_found', `${key} does not exist`);
      const to = range?.to === undefined ? undefined : range.to + 1;
      return Readable.from([found.content.subarray(range?.from ?? 0, to)], { objectMode: false, signal });
    },
    async *list(prefix, { signal }) {
      checkListPrefix(prefix);
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix));
      for (const { name: key } of inKeyOrder(keys.map((name) => ({ name, isFolder: false })))) {
        signal.throwIfAborted();
        const { content, modifiedAt } = objects.get(key)!;
        yield { key, bytes: content.length, modifiedAt };
      }
    },
    async delete(key, { signal }) {
      signal.throwIfAborted();
      checkObjectKey(key);
      objects.delete(key);
    },
    // A put leaves nothing behind.
    sweep: async () => ({ removed: [], problems: [] }),
    close: async () => {},
  };
}

const places = new Map<string, Map<string, Stored>>();

/** Two with the same name share their objects. Not in the list of kinds: tests pass it in. */
export const memoryStorageKind: StorageKind = {
  kind: 'memory',
  label: 'Memory',
  help: 'Gone with the process.',
  fields: [storageField('endpoint', 'Name', 'Any name.', { isRequired: true })],
  check: async () => undefined,
  async open(values) {
    const name = textValue(values, 'endpoint') ?? '';
    const objects = places.get(name) ?? new Map<string, Stored>();
    places.set(name, objects);
    return createMemoryStorage(objects);
  },
};
