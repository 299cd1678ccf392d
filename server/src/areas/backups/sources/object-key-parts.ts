import { createHash } from 'node:crypto';

/** Short hash of these parts, for names that only one job uses. */
export const shortHashOf = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);

/** Reduces text to what is safe in an object key. Adds a hash if that loses anything, so that names stay unique. */
export function keyPart(text: string): string {
  const plain = text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 60);
  return plain === text ? plain : `${plain || 'x'}-${shortHashOf(text).slice(0, 8)}`;
}
