import type { BaseStage } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';

/** The newest Debian of which images of old versions exist. Their default is often older, and archived. */
const debianOf: Record<number, string> = { 8: 'buster', 10: 'buster', 12: 'bullseye', 14: 'bullseye', 16: 'bookworm' };

/** Returns the image of a Node.js version. For old versions it is the last one of their line. */
export function nodeImage(version: string | null): Pick<BaseStage, 'image' | 'isArchived'> {
  const known = versionTag(version, '22');
  const major = Number(known.split('.')[0]);
  if (major > 16)
    return { image: `node:${known}-slim`, ...(major < 20 && known.includes('.') && { isArchived: true }) };
  // Odd versions were replaced by the next one.
  const even = Math.max(8, major + (major % 2));
  return { image: `node:${even}-${debianOf[even]}-slim`, ...(even < 16 && { isArchived: true }) };
}
