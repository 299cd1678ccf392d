import type { LogLine } from './lines.ts';

export const rowPx = 20;

/** Lines that belong together, below a header that folds them. */
export type LogBlock = { id: string; lines: readonly LogLine[]; isFolded: boolean };

export type LinePlace = { block: string; index: number };

/** Where a block is in the whole log, in pixels. */
export type BlockLayout = {
  id: string;
  top: number;
  bodyTop: number;
  bodyHeight: number;
  /** Rows before each line, where lines wrap; else each line is a row. */
  rowsBefore: Int32Array | undefined;
  count: number;
};
export type LogLayout = {
  height: number;
  blocks: BlockLayout[];
  /** Characters of the longest line. */ widest: number;
};

type Options = {
  headerPx: number;
  /** How many characters fit; undefined where lines do not wrap. */
  columns: number | undefined;
  /** Characters before the text of a line. */
  prefixOf: (line: LogLine) => number;
};

/** All heights are known without drawing anything: in a fixed-width font, the characters of a line say how many rows it takes. */
export function layoutOf(blocks: readonly LogBlock[], { headerPx, columns, prefixOf }: Options): LogLayout {
  let [top, widest] = [0, 0];
  const placed = blocks.map(({ id, lines, isFolded }): BlockLayout => {
    const count = isFolded ? 0 : lines.length;
    const rowsBefore = columns && count ? rowsOf(lines, columns, prefixOf) : undefined;
    for (const line of lines) widest = Math.max(widest, line.columns + prefixOf(line));
    const bodyHeight = (rowsBefore?.[count] ?? count) * rowPx;
    const block = { id, top, bodyTop: top + headerPx, bodyHeight, rowsBefore, count };
    top += headerPx + bodyHeight;
    return block;
  });
  return { height: top, blocks: placed, widest };
}

function rowsOf(lines: readonly LogLine[], columns: number, prefixOf: (line: LogLine) => number): Int32Array {
  const before = new Int32Array(lines.length + 1);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!;
    before[index + 1] = before[index]! + Math.max(1, Math.ceil((line.columns + prefixOf(line)) / columns));
  }
  return before;
}

/** The lines of a block that are between two heights of the whole log; `from` is their first one, and `to` the one after them. */
export function linesBetween(block: BlockLayout, topPx: number, bottomPx: number): { from: number; to: number } {
  const { bodyTop, count } = block;
  if (bottomPx <= bodyTop || topPx >= bodyTop + block.bodyHeight) return { from: 0, to: 0 };
  const from = lineAt(block, Math.max(0, Math.floor((topPx - bodyTop) / rowPx)));
  return { from, to: Math.min(count, lineAt(block, Math.floor((bottomPx - bodyTop) / rowPx)) + 1) };
}

/** How far below the top of its block's body a line begins. */
export const lineTop = ({ rowsBefore }: BlockLayout, index: number): number => (rowsBefore?.[index] ?? index) * rowPx;

/** The line that a row is part of. */
function lineAt({ rowsBefore, count }: BlockLayout, row: number): number {
  if (!rowsBefore) return Math.min(row, Math.max(0, count - 1));
  let [low, high] = [0, Math.max(0, count - 1)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowsBefore[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

const special = /[.*+?^${}()|[\]\\]/g;

/** What finds the words of a search, whatever their case; undefined for an empty one. */
export const searchPattern = (words: string): RegExp | undefined =>
  words.trim() ? new RegExp(words.trim().replaceAll(special, String.raw`\$&`), 'i') : undefined;

/** The lines that the search finds, also within folded blocks. */
export function matchesIn(blocks: readonly LogBlock[], pattern: RegExp | undefined): LinePlace[] {
  if (!pattern) return [];
  const found: LinePlace[] = [];
  for (const { id, lines } of blocks)
    for (let index = 0; index < lines.length; index++)
      if (pattern.test(lines[index]!.text)) found.push({ block: id, index });
  return found;
}
