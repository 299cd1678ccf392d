import { createHash } from 'node:crypto';
import type { ImageRelease, ServiceOptions } from '../../runtime.ts';

/** Raised when `serviceBody` makes other containers of the same release. */
const bodyVersion = 1;

/** Another one for another container; a stopped container with the same one can be started again as it is. */
export const specDigest = ({ owner, service, ...spec }: ImageRelease): string => {
  const entries = Object.entries({ ...spec, service: lasting(service) });
  return digest([bodyVersion, owner.projectId, ...entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
};

/** All of it but when it gets its names, with the keys in one order, wherever it was kept in between. */
function lasting(service: ServiceOptions): unknown {
  const sorted = (key: string, value: unknown): unknown => {
    if (key === 'isNamedAtOnce') return undefined;
    if (!value || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.parse(JSON.stringify(service, sorted));
}

const digest = (content: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
