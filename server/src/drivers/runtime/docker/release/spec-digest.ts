import { createHash } from 'node:crypto';
import type { ImageRelease, ServiceOptions } from '../../runtime.ts';

/** Increment when `serviceBody` creates different containers for the same release. */
const bodyVersion = 1;

/** Returns a digest of the release: a stopped container with the same one can be started again. */
export const specDigest = ({ owner, service, ...spec }: ImageRelease): string => {
  const entries = Object.entries({ ...spec, service: lasting(service) });
  return digest([bodyVersion, owner.projectId, ...entries.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
};

/** Normalizes the key order and drops the time at which it gets its names. */
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
