import type { LogLine } from './lines.ts';

export const rowPx = 20;

/** Lines below a header that folds them. */
export type LogBlock = { id: string; lines: readonly LogLine[]; isFolded: boolean };

export type LinePosition = { block: string; index: number };

/** The position of a block in the whole log, in pixels. */
export type BlockLayout = {
  id: string;
  top: number;
  bodyTop: number;
  bodyHeight: number;
  /** Rows before each line, followed by the total. */
  rowsBefore: Int32Array;
  count: number;
};
export type LogLayout = {
  height: number;
  blocks: BlockLayout[];
  /** Characters of the longest line. */ widest: number;
};

type Fit = {
  /** How many characters fit; undefined if lines do not wrap. */
  columns: number | undefined;
  /** Characters before the text of a line. */
  prefixOf: (line: LogLine) => number;
};

/** Computes all heights without rendering: in a fixed-width font, a line's length determines its rows. */
export function layoutOf(blocks: readonly LogBlock[], { headerPx, ...fit }: Fit & { headerPx: number }): LogLayout {
  let [top, widest] = [0, 0];
  const placed = blocks.map(({ id, lines, isFolded }): BlockLayout => {
    const measured = measure(lines, fit);
    const count = isFolded ? 0 : lines.length;
    const rowsBefore = measured.rows.subarray(0, count + 1);
    const bodyHeight = rowsBefore[count]! * rowPx;
    const block = { id, top, bodyTop: top + headerPx, bodyHeight, rowsBefore, count };
    top += headerPx + bodyHeight;
    widest = Math.max(widest, measured.widest);
    return block;
  });
  return { height: top, blocks: placed, widest };
}

type Measured = Fit & { count: number; rows: Int32Array; widest: number };
const known = new WeakMap<readonly LogLine[], Measured>();

/** Lines are appended and never changed, so only new ones are measured. */
function measure(lines: readonly LogLine[], { columns, prefixOf }: Fit): Measured {
  const before = known.get(lines);
  const isSame = before?.columns === columns && before?.prefixOf === prefixOf && before.count <= lines.length;
  let [count, widest] = isSame ? [before.count, before.widest] : [0, 0];
  const rows = withRoom(isSame ? before.rows : new Int32Array(lines.length + 1), lines.length + 1);
  for (; count < lines.length; count++) {
    const line = lines[count]!;
    const characters = line.columns + prefixOf(line);
    widest = Math.max(widest, characters);
    rows[count + 1] = rows[count]! + (columns ? Math.max(1, Math.ceil(characters / columns)) : 1);
  }
  const measured = { columns, prefixOf, count, rows, widest };
  known.set(lines, measured);
  return measured;
}

function withRoom(rows: Int32Array, length: number): Int32Array {
  if (rows.length >= length) return rows;
  const larger = new Int32Array(Math.max(length, rows.length * 2));
  larger.set(rows);
  return larger;
}

/** The lines of a block between two offsets of the whole log, as the half-open range from `from` to `to`. */
export function linesBetween(block: BlockLayout, topPx: number, bottomPx: number): { from: number; to: number } {
  const { bodyTop, count } = block;
  if (bottomPx <= bodyTop || topPx >= bodyTop + block.bodyHeight) return { from: 0, to: 0 };
  const from = lineAt(block, Math.max(0, Math.floor((topPx - bodyTop) / rowPx)));
  return { from, to: Math.min(count, lineAt(block, Math.floor((bottomPx - bodyTop) / rowPx)) + 1) };
}

/** The offset of a line from the top of its block's body. */
export const lineTop = ({ rowsBefore }: BlockLayout, index: number): number => (rowsBefore[index] ?? 0) * rowPx;

/** The line that contains a row. */
function lineAt({ rowsBefore, count }: BlockLayout, row: number): number {
  let [low, high] = [0, Math.max(0, count - 1)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rowsBefore[middle]! <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

const special = /[.*+?^${}()|[\]\\]/g;

/** A case-insensitive pattern for literal text; undefined for an empty search. */
export const searchPattern = (words: string): RegExp | undefined =>
  words.trim() ? new RegExp(words.trim().replaceAll(special, String.raw`\$&`), 'i') : undefined;

/** The lines that match, including those in folded blocks. */
export function matchesIn(blocks: readonly LogBlock[], pattern: RegExp | undefined): LinePosition[] {
  if (!pattern) return [];
  return blocks.flatMap(({ id, lines }) => foundIn(lines, pattern).map((index) => ({ block: id, index })));
}

type Found = { source: string; count: number; indexes: number[] };
const searched = new WeakMap<readonly LogLine[], Found>();

/** Searches only the new lines when the log has grown. */
function foundIn(lines: readonly LogLine[], pattern: RegExp): number[] {
  const before = searched.get(lines);
  const isSame = before?.source === pattern.source;
  const indexes = isSame ? before.indexes : [];
  for (let index = isSame ? before.count : 0; index < lines.length; index++)
    if (pattern.test(lines[index]!.text)) indexes.push(index);
  searched.set(lines, { source: pattern.source, count: lines.length, indexes });
  return indexes;
}
