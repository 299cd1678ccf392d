import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

// Lists of files are compared line by line from disk, so that memory stays flat for any number of files.

const mostNamed = 5;

/** One line of a list: the path and everything that shows a change. */
export const listLine = (path: string, ...facts: (string | number | bigint)[]): string =>
  `${JSON.stringify([path, ...facts.map(String)])}\n`;

/** Returns the paths of some files that differ between two lists; none if the lists are equal. */
export async function changedBetween(before: string, after: string): Promise<string[]> {
  const [a, b] = [linesOf(before), linesOf(after)];
  const changed = new Set<string>();
  try {
    for (;;) {
      const [{ value: one, done: noMore }, { value: other, done: noOther }] = await Promise.all([a.next(), b.next()]);
      if ((noMore && noOther) || changed.size >= mostNamed) break;
      if (one === other) continue;
      for (const line of [one, other]) if (line) changed.add(pathOf(line));
      // A file was added or removed: the lists are out of step from here on.
      if (!one || !other || pathOf(one) !== pathOf(other)) break;
    }
  } finally {
    await Promise.all([a.return?.(), b.return?.()]);
  }
  return [...changed];
}

const linesOf = (file: string): AsyncIterator<string, undefined> =>
  createInterface({ input: createReadStream(file), crlfDelay: Infinity })[Symbol.asyncIterator]() as AsyncIterator<
    string,
    undefined
  >;

const pathOf = (line: string): string => (JSON.parse(line) as string[])[0]!;
