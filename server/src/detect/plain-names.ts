import { insidePath } from './sub-tree.ts';

// Names from a stranger's files become parts of commands, so only those are used that mean nothing to a shell.

/** A name of a program, a package, a file: letters, digits, `_`, `.`, `-`, and not an option. */
export const plainName = (name: string | null | undefined): string | undefined =>
  name && /^\w[\w.-]{0,99}$/.test(name) ? name : undefined;

/** A path inside of the app, `''` for its folder, made of such names. */
export function plainPath(path: string | null | undefined): string | undefined {
  const inside = path === null || path === undefined ? undefined : insidePath(path);
  if (inside === undefined || inside === '') return inside;
  return inside.length <= 300 && inside.split('/').every((part) => /^[\w.@][\w.@+-]*$/.test(part)) ? inside : undefined;
}
