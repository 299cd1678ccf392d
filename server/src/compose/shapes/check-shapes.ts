import type { ComposeReport } from '../problems.ts';
import { sourceLineOfEntry, sourceLineOf, type DictNode, type MappingEntry, type ListNode } from '../yaml/nodes.ts';
import { projectShapes } from './project-shapes.ts';
import { serviceShapes } from './service-shapes.ts';
import { typeMismatch, type Shapes } from './shape.ts';

/**
 * Validates all values against the schema of Docker Compose, so that its errors are errors here as well. Runs last:
 * other errors are more specific.
 */
export function checkShapes(file: DictNode, report: ComposeReport): void {
  new ShapeCheck(projectShapes, report).fields(file, '', '');
  const services = file.entries.get('services')?.node;
  if (services?.kind !== 'dict') return;
  const check = new ShapeCheck(serviceShapes, report);
  for (const [name, { node }] of services.entries)
    if (node.kind === 'dict' && !name.startsWith('x-')) check.fields(node, '', `services.${name.slice(0, 60)}.`);
}

class ShapeCheck {
  private readonly shapes: Shapes;
  private readonly report: ComposeReport;

  constructor(shapes: Shapes, report: ComposeReport) {
    this.shapes = shapes;
    this.report = report;
  }

  /** Checks the fields of a mapping; `path` is its name in the table, `said` in messages. */
  fields(node: DictNode, path: string, said: string): void {
    for (const [key, entry] of node.entries)
      if (!key.startsWith('x-')) this.value(entry, `${path}${key}`, `${said}${key.slice(0, 60)}`);
  }

  private value(entry: MappingEntry, path: string, said: string): void {
    const shape = Object.hasOwn(this.shapes, path) ? this.shapes[path] : undefined;
    if (!shape) return;
    const { node } = entry;
    const wrong = typeMismatch(node, shape.is);
    if (wrong) return this.wrong(entry, said, wrong);
    if (shape.like && node.kind === 'scalar' && typeof node.value === 'string' && !shape.like[0].test(node.value))
      return this.wrong(entry, said, `must be ${shape.like[1]}, not ${node.value.slice(0, 60) || 'empty'}`);
    if (node.kind === 'list') this.items(node, path, said);
    if (node.kind !== 'dict') return;
    this.needed(node, path, said);
    if (shape.values) this.values(node, path, said);
    else this.fields(node, `${path}.`, `${said}.`);
  }

  private values(node: DictNode, path: string, said: string): void {
    for (const [key, entry] of node.entries) {
      const name = `${said}.${key.slice(0, 60)}`;
      const wrong = key.startsWith('x-') ? undefined : typeMismatch(entry.node, this.shapes[path]!.values!);
      if (wrong) this.wrong(entry, name, wrong);
      else if (entry.node.kind === 'dict') {
        this.needed(entry.node, `${path}.*`, name);
        this.fields(entry.node, `${path}.*.`, `${name}.`);
      }
    }
  }

  private items(node: ListNode, path: string, said: string): void {
    const { items: kinds, isSet } = this.shapes[path]!;
    const seen = new Set<unknown>();
    for (const item of node.items) {
      const at: MappingEntry = { line: item.line, node: item };
      const wrong = kinds && typeMismatch(item, kinds);
      if (wrong) this.wrong(at, said, `an item ${wrong}`);
      else if (item.kind === 'dict') {
        this.needed(item, `${path}[]`, said);
        this.fields(item, `${path}[].`, `${said}.`);
      } else if (item.kind === 'scalar' && isSet && seen.has(item.value))
        this.wrong(at, said, `${String(item.value).slice(0, 60)} appears twice`);
      else if (item.kind === 'scalar') seen.add(item.value);
    }
  }

  private needed(node: DictNode, path: string, said: string): void {
    const missing = this.shapes[path]?.needs?.find((key) => !node.entries.has(key));
    if (missing !== undefined) this.wrong({ line: node.line, node }, said, `needs ${missing}`);
  }

  private wrong(entry: MappingEntry, said: string, sentence: string): void {
    const place = entry.line === null ? sourceLineOf(entry.node) : sourceLineOfEntry(entry);
    if (!this.report.isFaulty(place)) this.report.error(place, `${said}: ${sentence}`);
  }
}
