import { asList, asMapping } from '../files/merge-rules.ts';
import type { SourceLine, ComposeReport } from '../problems.ts';
import { parseBytes, parseDuration } from '../values/units.ts';
import { sourceLineOfEntry, kindName, sourceLineOf, type DictNode, type Node } from '../yaml/nodes.ts';

const words = new Map([
  ...['true', 'yes', 'on', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', 'n'].map((word) => [word, false] as const),
]);

/**
 * Typed access to the fields of a mapping. Invalid values are reported and read as missing. Numbers and flags may be
 * strings, as after interpolation.
 */
export class MappingFields {
  readonly node: DictNode;
  readonly report: ComposeReport;
  private readonly path: string;

  constructor(node: DictNode, path: string, report: ComposeReport) {
    this.node = node;
    this.path = path;
    this.report = report;
  }

  has(key: string): boolean {
    return this.node.entries.has(key);
  }

  get(key: string): Node | undefined {
    const node = this.node.entries.get(key)?.node;
    return node?.kind === 'scalar' && node.value === null ? undefined : node;
  }

  place(key: string): SourceLine {
    const entry = this.node.entries.get(key);
    return entry ? sourceLineOfEntry(entry) : sourceLineOf(this.node);
  }

  wrong(key: string, sentence: string, node?: Node): null {
    this.report.error(node ? sourceLineOf(node) : this.place(key), `${this.path}.${key}: ${sentence}`);
    return null;
  }

  /** Returns a non-empty string: unset variables leave empty strings. */
  text(key: string): string | null {
    return this.written(key) || null;
  }

  /** Returns a string as written, even if empty. */
  written(key: string): string | null {
    const node = this.get(key);
    if (!node) return null;
    return node.kind === 'scalar' ? String(node.value) : this.wrong(key, `must be a string, not ${kindName(node)}`);
  }

  flag(key: string): boolean | null {
    const node = this.get(key);
    if (!node) return null;
    const value = node.kind === 'scalar' ? (words.get(String(node.value).toLowerCase()) ?? null) : null;
    return value ?? this.wrong(key, 'must be true or false');
  }

  number(key: string): number | null {
    const text = this.written(key);
    if (text === null) return null;
    const isNumber = text.trim() !== '' && text.length < 40 && Number.isFinite(Number(text));
    return isNumber ? Number(text) : this.wrong(key, `must be a number, not ${text.slice(0, 60)}`);
  }

  integer(key: string, least = 0): number | null {
    const value = this.number(key);
    if (value === null) return null;
    const fits = Number.isSafeInteger(value) && value >= least;
    return fits ? value : this.wrong(key, `must be a whole number, ${least} or more`);
  }

  /** Returns bytes; 0 means no limit. */
  bytes(key: string): number | null {
    const text = this.written(key);
    if (text === null) return null;
    return parseBytes(text) ?? this.wrong(key, `must be a size like 512m, not ${text.slice(0, 60)}`);
  }

  /** Returns milliseconds. */
  duration(key: string): number | null {
    const text = this.written(key);
    if (text === null) return null;
    return parseDuration(text) ?? this.wrong(key, `must be a duration like 1m30s, not ${text.slice(0, 60)}`);
  }

  oneOf<T extends string>(key: string, values: readonly T[]): T | null {
    const text = this.written(key);
    if (text === null) return null;
    return values.find((value) => value === text) ?? this.wrong(key, `must be one of ${values.join(', ')}`);
  }

  /** Returns the items of a list. */
  items(key: string): readonly Node[] {
    const node = this.get(key);
    if (!node) return [];
    if (node.kind === 'list') return node.items;
    this.wrong(key, `must be a list, not ${kindName(node)}`);
    return [];
  }

  /** Returns the unique strings of a list, or a single one. */
  texts(key: string): string[] {
    const node = this.get(key);
    const items =
      node?.kind === 'dict' ? this.items(key) : node ? (asList(node) as { items: readonly Node[] }).items : [];
    const found = items.map((item) => {
      if (item.kind === 'scalar' && item.value !== null) return String(item.value);
      return this.wrong(key, `must be a list of strings; it contains ${kindName(item)}`, item);
    });
    return [...new Set(found.filter((text) => text !== null))];
  }

  /** Reads `{A: 1, B: null}` or `[A=1, B]`. */
  pairs(key: string): [string, string | null][] {
    const node = this.get(key);
    if (!node) return [];
    const mapping = asMapping(node, '');
    if (!mapping) return this.wrong(key, 'must be a mapping, or a list of NAME=value') ?? [];
    return [...mapping.entries].flatMap(([name, { node: value }]): [string, string | null][] => {
      if (value.kind === 'scalar') return [[name, value.value === null ? null : String(value.value)]];
      this.wrong(key, `${name.slice(0, 60)} must be a string, not ${kindName(value)}`, value);
      return [];
    });
  }

  /** Returns pairs with empty strings for missing values. */
  record(key: string): Record<string, string> {
    return Object.fromEntries(this.pairs(key).map(([name, value]) => [name, value ?? '']));
  }

  /** Returns the fields of a nested mapping; undefined if there is none. */
  inner(key: string): MappingFields | undefined {
    const node = this.get(key);
    if (!node) return undefined;
    if (node.kind === 'dict') return new MappingFields(node, `${this.path}.${key}`, this.report);
    this.wrong(key, `must be a mapping, not ${kindName(node)}`);
    return undefined;
  }

  /** Returns the fields of a list item. */
  item(key: string, node: DictNode): MappingFields {
    return new MappingFields(node, `${this.path}.${key}`, this.report);
  }
}
