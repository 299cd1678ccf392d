import { pathFrom } from '../files/paths.ts';
import type { FileReader } from '../files/reader.ts';
import type { ComposeFile, ComposeNetwork, ComposeVolume } from '../project.ts';
import type { VariableSource } from '../values/template.ts';
import { entryAt, dictNode, sourceLineOfEntry, isNull, sourceLineOf, type DictNode } from '../yaml/nodes.ts';
import { MappingFields } from './fields.ts';
import { readLabels } from './labels.ts';
import { readSubnet } from './subnet.ts';

/** Returns the entries of a section with their fields. An empty entry counts as an empty mapping. */
function entriesOf(file: DictNode, section: string, reader: FileReader) {
  const node = entryAt(file, section);
  if (!node || isNull(node)) return [];
  if (node.kind !== 'dict') {
    reader.report.error(sourceLineOf(node), `${section}: must be a mapping`);
    return [];
  }
  return [...node.entries].flatMap(([name, entry]) => {
    if (name.startsWith('x-')) return [];
    const place = sourceLineOfEntry(entry);
    const value = isNull(entry.node) ? dictNode(new Map(), entry.node) : entry.node;
    if (!/^[A-Za-z0-9._-]{1,200}$/.test(name))
      reader.report.error(place, `${section}: ${name.slice(0, 60)} is not a name`);
    else if (value.kind !== 'dict') reader.report.error(place, `${section}.${name}: must be a mapping`);
    else return [{ name, at: place, fields: new MappingFields(value, `${section}.${name}`, reader.report) }];
    return [];
  });
}

/** Returns the external name; null for the project's own. `external: {name: x}` is the older form. */
function externalName(fields: MappingFields, name: string): string | null {
  const node = fields.get('external');
  if (node?.kind === 'dict') return fields.inner('external')?.text('name') ?? fields.text('name') ?? name;
  if (node && fields.flag('external')) return fields.text('name') ?? name;
  if (fields.has('name'))
    fields.report.warn(fields.place('name'), `${name}: its name is ignored: resources are named after the project`);
  return null;
}

export const readVolumes = (file: DictNode, reader: FileReader): ComposeVolume[] =>
  entriesOf(file, 'volumes', reader).map(({ name, at, fields }) => ({
    name,
    externalName: externalName(fields, name),
    driver: fields.text('driver'),
    driverOptions: fields.record('driver_opts'),
    labels: readLabels(fields),
    at,
  }));

export const readProjectNetworks = (file: DictNode, reader: FileReader): ComposeNetwork[] =>
  entriesOf(file, 'networks', reader).map(({ name, at, fields }) => ({
    name,
    externalName: externalName(fields, name),
    driver: fields.text('driver'),
    isInternal: fields.flag('internal') ?? false,
    labels: readLabels(fields),
    ...readSubnet(fields),
    at,
  }));

/** Reads the used configs or secrets. Files are checked but not read, since they may be binary. */
export async function readFileResources(
  file: DictNode,
  section: 'configs' | 'secrets',
  reader: FileReader,
  { lookup, used }: { lookup: VariableSource; used: ReadonlySet<string> },
): Promise<ComposeFile[]> {
  const found: ComposeFile[] = [];
  for (const { name, at, fields } of entriesOf(file, section, reader)) {
    if (!used.has(name)) continue;
    const written = fields.written('file');
    const path = written === null ? null : pathFrom(fields.get('file')!.origin.folder, written);
    if (path?.isInside && !(await reader.has(path.path)))
      fields.wrong('file', `${path.path} does not exist in the source`);
    const variable = fields.written('environment');
    const value = variable === null ? undefined : lookup(variable);
    if (variable !== null && value === undefined)
      fields.wrong('environment', `the variable ${variable.slice(0, 60)} is not set`);
    const content = (section === 'configs' ? fields.written('content') : null) ?? value ?? null;
    const known = section === 'configs' ? ['file', 'environment', 'content'] : ['file', 'environment'];
    const ways = [...known, 'external'].filter((key) => fields.has(key));
    if (ways.length !== 1) fields.wrong(ways[1] ?? name, `needs exactly one of ${known.join(', ')}`);
    found.push({ name, file: path, content, at });
  }
  return found;
}
