import { readFileSync } from 'node:fs';

export const environmentFile = '/etc/mooring/mooring.env';

/** Adds the settings of an installed service to the environment of a command; the command's own variables win. Only
 * root and the service's user can read the file. */
export function withInstalledSettings(
  environment: Record<string, string | undefined>,
  file = environmentFile,
): Record<string, string | undefined> {
  try {
    return { ...parseEnvironmentFile(readFileSync(file, 'utf8')), ...environment };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'EACCES'].includes(code)) return environment;
    throw error;
  }
}

/** Reads `NAME=value` lines as systemd does: comments, quotes, and backslashes inside quotes. */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const lines = text.replaceAll(/\\\r?\n/g, '').split(/\r?\n/);
  const assignments = lines.flatMap((line) => {
    const found = /^\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    return found ? [[found[1]!, unquoted(found[2]!)] as const] : [];
  });
  return Object.fromEntries(assignments);
}

function unquoted(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$|^'([^']*)'$/s.exec(text);
  if (!quoted) return text.replaceAll(/\\(.)/gs, '$1');
  return quoted[2] ?? quoted[1]!.replaceAll(/\\(["\\`$])/gs, '$1');
}
