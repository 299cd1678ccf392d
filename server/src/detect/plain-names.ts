import { insidePath } from './sub-tree.ts';

// Names from untrusted files become parts of commands, so only those without meaning to a shell are used.

/** Returns a name of letters, digits, `_`, `.`, `-` that is not an option. */
export const plainName = (name: string | null | undefined): string | undefined =>
  name && /^\w[\w.-]{0,99}$/.test(name) ? name : undefined;

/** Returns a path of such names inside the app; `''` for its folder. */
export function plainPath(path: string | null | undefined): string | undefined {
  const inside = path === null || path === undefined ? undefined : insidePath(path);
  if (inside === undefined || inside === '') return inside;
  return inside.length <= 300 && inside.split('/').every((part) => /^[\w.@][\w.@+-]*$/.test(part)) ? inside : undefined;
}
