import type { FoundService } from '../../server-queries.ts';
import { formatMemory } from '../../format-memory.ts';

/** `127.0.0.1:8080 → 80/tcp`. */
export const portText = ({ target, protocol, published, hostIp }: FoundService['ports'][number]): string =>
  `${hostIp ? `${hostIp}:` : ''}${published ?? 'any'} → ${target}${protocol === 'tcp' ? '' : `/${protocol}`}`;

/** Anonymous volumes have 64 random characters for a name. */
const shortName = (source: string) => (/^[0-9a-f]{64}$/.test(source) ? `${source.slice(0, 12)}…` : source);

/** An image without a name is identified by 64 characters. */
export const imageText = (image: string): string => image.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1…');

/** `volume data at /data`. */
export function mountText({ type, source, target, readOnly }: FoundService['mounts'][number]): string {
  const what = { volume: 'volume', bind: 'folder', tmpfs: 'memory' }[type] ?? type;
  const from = type === 'tmpfs' ? what : `${what} ${shortName(source)}`;
  return `${from} at ${target}${readOnly ? ', read-only' : ''}`;
}

export const limitsText = ({ memory, cpus, pids }: FoundService['limits']): string =>
  [memory && formatMemory(memory), cpus && `${cpus} CPUs`, pids && `${pids} processes`].filter(Boolean).join(', ');

export const routeText = ({ host, path, port, proxy }: FoundService['routes'][number]): string =>
  `${host}${path ?? ''}${port ? ` → ${port}` : ''}, by ${proxy}`;
