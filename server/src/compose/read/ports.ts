import { isIP } from 'node:net';
import type { ComposePort } from '../service.ts';
import { sourceLineOf, type Node } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

const protocols = ['tcp', 'udp', 'sctp'] as const;
const maxRange = 1000;
const maxPorts = 2000;

interface Range {
  from: number;
  to: number;
}
type Spec = Omit<ComposePort, 'at'>;

/** Reads the ports of a service, with ranges expanded. */
export function readPorts(fields: MappingFields): ComposePort[] {
  const found: ComposePort[] = [];
  for (const item of fields.items('ports')) {
    const specs = item.kind === 'dict' ? longPort(fields, item) : shortNode(fields, item);
    found.push(...specs.map((spec) => ({ ...spec, at: sourceLineOf(item) })));
    if (found.length > maxPorts) return fields.wrong('ports', `more than ${maxPorts} of them`, item) ?? [];
  }
  // Deduplicates short and long forms, within and across files.
  return [...new Map(found.map((port) => [portKey(port), port])).values()];
}

const portKey = ({ hostIp, published, target, protocol }: ComposePort) =>
  `${hostIp}|${published?.from}-${published?.to}|${target}/${protocol}`;

function shortNode(fields: MappingFields, item: Node): Spec[] {
  const text = item.kind === 'scalar' ? String(item.value) : '';
  const specs = shortPorts(text);
  if (typeof specs !== 'string') return specs;
  fields.wrong('ports', `${text.slice(0, 60)}: ${specs}`, item);
  return [];
}

/** Parses `[[ip:]published:]target[/protocol]` with port ranges; returns an error message if invalid. */
export function shortPorts(text: string): Spec[] | string {
  const [, whole, ending] = /^([^/]*)(?:\/(.*))?$/s.exec(text) ?? [];
  const protocol = protocols.find((name) => name === (ending || 'tcp').toLowerCase());
  if (!protocol) return `the protocol must be one of ${protocols.join(', ')}`;
  const [, ip, host, container] = /^(?:(\[[^\]]*\]|[^:]*):)??(?:([^:]*):)?([^:]*)$/s.exec(whole ?? '') ?? [];
  if (container === undefined) return 'must be [[ip:]published:]target[/protocol]';
  const hostIp = ip ? ip.replace(/^\[(.*)\]$/s, '$1') : null;
  if (hostIp !== null && !isIP(hostIp)) return 'the part before the ports must be an IP address';
  const target = range(container);
  if (!target || target.from === 0) return 'the port of the container must be from 1 to 65535';
  const published = host ? range(host) : null;
  if (published === undefined) return 'the published port must be from 0 to 65535';
  return spread(target, published, { hostIp, protocol });
}

function spread(target: Range, published: Range | null, rest: Pick<Spec, 'hostIp' | 'protocol'>): Spec[] | string {
  const count = target.to - target.from;
  if (count > maxRange) return `more than ${maxRange} ports at once`;
  if (count === 0) return [{ target: target.from, published, ...rest }];
  if (published && published.to - published.from !== count) return 'both ranges must be of the same length';
  return Array.from({ length: count + 1 }, (_, i) => {
    const port = (published?.from ?? 0) + i;
    return { target: target.from + i, published: published && { from: port, to: port }, ...rest };
  });
}

function range(text: string): Range | undefined {
  const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const from = Number(first);
  const to = last === undefined ? from : Number(last);
  return first !== undefined && from <= to && to <= 65535 ? { from, to } : undefined;
}

function longPort(fields: MappingFields, item: Node & { kind: 'dict' }): Spec[] {
  const port = fields.item('ports', item);
  const wrong = (key: string, sentence: string) => {
    port.wrong(key, sentence);
    return [];
  };
  const target = range(port.text('target') ?? '');
  if (!target || target.from === 0 || target.from !== target.to)
    return wrong('target', 'must be a port from 1 to 65535');
  const written = port.text('published');
  const published = written ? range(written) : null;
  if (published === undefined) return wrong('published', 'must be a port, or a range of ports');
  const hostIp = port.written('host_ip');
  if (hostIp !== null && !isIP(hostIp)) return wrong('host_ip', 'must be an IP address');
  const protocol = port.oneOf('protocol', protocols) ?? 'tcp';
  return [{ target: target.from, published, hostIp, protocol }];
}
