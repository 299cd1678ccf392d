import { posix } from 'node:path';
import { insidePath } from '../../detect/sub-tree.ts';
import { pathFrom } from '../files/paths.ts';
import type { ComposeMount } from '../service.ts';
import { parseBytes } from '../values/units.ts';
import { sourceLineOf, type DictNode, type Node } from '../yaml/nodes.ts';
import { MappingFields } from './fields.ts';

const types = ['volume', 'bind', 'tmpfs'] as const;
const propagations = ['rprivate', 'private', 'rshared', 'shared', 'rslave', 'slave'];

/** Reads the mounts; of two at the same path the later one wins. */
export function readMounts(fields: MappingFields): ComposeMount[] {
  const found = fields
    .items('volumes')
    .map((item) => (item.kind === 'dict' ? longMount(fields, item) : shortMount(fields, item)))
    .filter((mount) => mount !== null);
  return [...new Map(found.map((mount) => [mount.target, mount])).values()];
}

/**
 * Reads `target`, `source:target` or `source:target:options`. A source that begins like a path is a folder, else a
 * volume.
 */
function shortMount(fields: MappingFields, item: Node): ComposeMount | null {
  const text = item.kind === 'scalar' ? String(item.value) : '';
  const wrong = (sentence: string) => fields.wrong('volumes', `${text.slice(0, 100)}: ${sentence}`, item);
  const parts = partsOf(text);
  if (!text || parts.some((part) => part === '')) return wrong('must be [source:]target[:options]');
  if (parts.length > 3) return wrong('has too many parts; use source:target:options');
  const [first, second, third] = parts;
  const target = second ?? first!;
  if (!target.startsWith('/')) return wrong('the target must be an absolute path in the container');
  const options = third?.split(',') ?? [];
  const ignored = options.filter((option) => !['ro', 'rw', 'nocopy', ...propagations].includes(option));
  if (ignored.length) fields.report.warn(sourceLineOf(item), `volumes: ${ignored.join(',').slice(0, 60)} is ignored`);
  const base = { target: cleanTarget(target), isReadOnly: options.includes('ro'), at: sourceLineOf(item) };
  const source = second === undefined ? null : first!;
  if (source !== null && /^[./~\\]|^[A-Za-z]:/.test(source)) {
    const propagation = options.find((option) => propagations.includes(option)) ?? null;
    const { folder } = item.origin;
    return { ...base, type: 'bind', source: pathFrom(folder, source), propagation, isCreated: true };
  }
  if (source !== null && !/^[A-Za-z0-9][\w.-]*$/.test(source))
    return wrong(`${source.slice(0, 60)} is not the name of a volume`);
  return { ...base, type: 'volume', volume: source, subpath: null, isCopied: !options.includes('nocopy') };
}

/** Splits at colons, except that of a drive in `C:\\folder:/target`. */
function partsOf(text: string): string[] {
  const drive = /^[A-Za-z]:[/\\](?=.*:\/)/s.exec(text)?.[0] ?? '';
  const [first = '', ...others] = text.slice(drive.length).split(':');
  return [drive + first, ...others];
}

const cleanTarget = (target: string) => posix.normalize(target).replace(/(.)\/+$/, '$1');

function longMount(fields: MappingFields, item: DictNode): ComposeMount | null {
  const mount = fields.item('volumes', item);
  const type =
    mount.oneOf('type', types) ??
    (mount.has('type') ? null : mount.wrong('type', `must be one of ${types.join(', ')}`));
  const target = mount.text('target');
  if (!type) return null;
  if (!target?.startsWith('/')) return mount.wrong('target', 'must be an absolute path in the container');
  const base = { target: cleanTarget(target), isReadOnly: mount.flag('read_only') ?? false, at: sourceLineOf(item) };
  const source = mount.text('source');
  if (type === 'bind') {
    if (!source) return mount.wrong('source', 'is required for a bind mount');
    const bind = mount.inner('bind');
    const path = pathFrom((mount.get('source') ?? item).origin.folder, source);
    const isFolder = mount.flag('is_directory') ?? mount.flag('isDirectory') ?? false;
    const isCreated = isFolder || (bind ? (bind.flag('create_host_path') ?? true) : false);
    const propagation = bind?.text('propagation') ?? null;
    const content = path.isInside ? mount.text('content') : null;
    return { ...base, type, source: path, propagation, isCreated, ...(content !== null && { content }) };
  }
  if (type === 'tmpfs') return { ...base, type, ...tmpfsOf(mount) };
  const volume = mount.inner('volume');
  const isCopied = !(volume?.flag('nocopy') ?? false);
  const subpath = volume?.text('subpath') ?? null;
  if (subpath !== null && !insidePath(subpath)) volume!.wrong('subpath', 'must be a path inside the volume');
  return { ...base, type, volume: source, subpath, isCopied };
}

function tmpfsOf(mount: MappingFields): { sizeBytes: number | null; mode: number | null } {
  const tmpfs = mount.inner('tmpfs');
  const size = tmpfs?.text('size') ?? null;
  const sizeBytes = size === null ? null : (parseBytes(size) ?? tmpfs!.wrong('size', 'must be a size like 64m'));
  return { sizeBytes, mode: tmpfs ? fileMode(tmpfs, 'mode') : null };
}

/** A number is the mode itself, a string is octal: `0440`, `"0440"`. */
export function fileMode(fields: MappingFields, key: string): number | null {
  const node = fields.get(key);
  if (node?.kind !== 'scalar') return node ? fields.wrong(key, 'must be a file mode like 0440') : null;
  if (typeof node.value === 'number' && Number.isInteger(node.value) && node.value >= 0 && node.value <= 0o7777)
    return node.value;
  const text = String(node.value);
  return /^(0o?)?[0-7]{1,4}$/.test(text) && typeof node.value === 'string'
    ? Number.parseInt(text.replace(/^0o/, ''), 8)
    : fields.wrong(key, 'must be a file mode like 0440');
}
