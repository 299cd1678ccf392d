import { Readable } from 'node:stream';
import { writeTar, type WrittenEntry } from '../../../lib/archive-writer.ts';
import type { Context } from '../context/context.ts';

const ignoreFile = '.dockerignore';

/** The context as the classic builder takes it, with the Dockerfile in it under a name that nothing else has. The builder
 * takes both files out again that a list in the context names: so no step sees them, and no cached step depends on them. */
export const classicContext = (context: Context, dockerfile: { name: string; text: string }): Readable =>
  Readable.from(
    writeTar(
      (async function* () {
        for await (const entry of context.entries())
          if (entry.path !== ignoreFile)
            yield {
              ...entry,
              modifiedMs: Number(entry.modifiedNs / 1_000_000n),
              content: () => context.content(entry),
            };
        yield ownFile(ignoreFile, `${ignoreFile}\n${dockerfile.name}\n`);
        yield ownFile(dockerfile.name, dockerfile.text);
      })(),
    ),
    { objectMode: false },
  );

function ownFile(path: string, text: string): WrittenEntry {
  const content = Buffer.from(text);
  return {
    path,
    type: 'file',
    mode: 0o644,
    size: content.length,
    modifiedMs: 0,
    target: '',
    async *content() {
      yield content;
    },
  };
}
