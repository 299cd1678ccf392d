import { readFileSync } from 'node:fs';
import { settings } from '../settings.ts';

export const environmentFile = '/etc/mooring/mooring.env';
/** Where install.sh puts programs. */
export const installedPrograms = '/opt/mooring';

type Environment = Record<string, string | undefined>;

/** Marks commands that the service starts itself. Its environment is complete, with those of systemd's drop-ins. */
const ofService = 'MOORING_STARTED_BY_SERVICE';
export const environmentForCommands = (environment: Environment): Environment => ({ ...environment, [ofService]: '1' });

type Options = { isInstalled: boolean; file?: string };

/** Adds the settings of an installed service to the environment of a command. A command of the installed program works
 * on that service, so a stray setting in the caller's shell, such as DATABASE_URL, does not count. In other programs, the
 * variables of the caller win. Only root and the service's user can read the file. */
export function withInstalledSettings(
  environment: Environment,
  { isInstalled, file = environmentFile }: Options,
): Environment {
  try {
    const installed = parseEnvironmentFile(readFileSync(file, 'utf8'));
    if (!isInstalled || environment[ofService] !== undefined) return { ...installed, ...environment };
    const names = new Set(Object.values(settings).map(({ variable }) => variable));
    const others = Object.entries(environment).filter(([name]) => !names.has(name));
    return { ...Object.fromEntries(others), ...installed };
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
