// Minimal YAML access for the detection. Compose files are fully parsed on deployment.

/** Returns the lines below a top-level key, without comments and empty lines. */
function block(text: string, key: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() && !/^\s*#/.test(line));
  const start = lines.findIndex((line) => new RegExp(`^["']?${key}["']?\\s*:`).test(line));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  // A list may start at the column of its key.
  const end = rest.findIndex((line) => !/^[\s-]/.test(line));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Returns the keys of a top-level mapping: `services:` of a compose file. */
export function mapKeys(text: string, key: string): string[] {
  const lines = block(text, key);
  const indent = /^\s*/.exec(lines[0] ?? '')![0];
  const names = lines.map((line) => new RegExp(`^${indent}["']?([\\w.-]+)["']?\\s*:`).exec(line)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Returns the keys of the document. */
export const topLevelKeys = (text: string): string[] =>
  [...text.matchAll(/^["']?([\w.-]{1,100})["']?[ \t]*:/gm)].map(([, key]) => key!);

/** Returns the strings of a top-level list, block or inline: `packages:` of pnpm-workspace.yaml. */
export function listItems(text: string, key: string): string[] {
  const opening = new RegExp(`^${key}[ \\t]*:[ \\t]*\\[`, 'm').exec(text);
  if (opening) {
    const start = opening.index + opening[0].length;
    const end = text.indexOf(']', start);
    return (end < 0 ? '' : text.slice(start, end)).split(',').map(unquote).filter(Boolean);
  }
  const items = block(text, key).map((line) => /^\s*-\s+(.*)$/.exec(line)?.[1] ?? '');
  return items.map(unquote).filter(Boolean);
}

const unquote = (item: string) =>
  item
    .slice(0, 500)
    .replace(/\s+#.*$/, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');

/**
 * Returns the value of a top-level key, or a nested one: `yamlScalar(text, 'site_dir')`, `yamlScalar(text, 'sdk',
 * true)`.
 */
export function yamlScalar(text: string, key: string, anywhere = false): string | undefined {
  const start = new RegExp(`^${anywhere ? '[ \\t]*' : ''}["']?${key}["']?[ \\t]*:`, 'm').exec(text);
  if (!start) return undefined;
  const from = start.index + start[0].length;
  const end = text.indexOf('\n', from);
  return unquote(text.slice(from, end < 0 ? undefined : end).trimStart()) || undefined;
}
