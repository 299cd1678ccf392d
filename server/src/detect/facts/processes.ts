import type { DetectFinding, SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { child, textOrNull } from '../records.ts';
import { readToml } from '../toml.ts';

/** Start commands that a file declares. */
export interface Declared {
  file: string;
  start: string | null;
  release: string | null;
  /** Another process, such as a worker; used if nothing else can be started. */
  other: string | null;
}

/** A declared start command overrides the detected one. */
export function withProcesses(
  declared: Declared | undefined,
  found: DetectFinding | undefined,
): DetectFinding | undefined {
  if (!declared) return found;
  const { adapt = (command: string) => command } = found ?? {};
  const isKnown = Boolean(found?.startCommand) || typeof found?.outputDirectory === 'string';
  const said = declared.start ?? (isKnown ? null : declared.other);
  const start = said && adapt(said);
  const release = declared.release && adapt(declared.release);
  // The provider's last reason is about starting, which the declared command replaces.
  const known = start && !found?.startCommand ? (found?.reasons ?? []).slice(0, -1) : (found?.reasons ?? []);
  const reasons = [
    ...known,
    ...(start ? [`${declared.file}: started with \`${said}\``] : []),
    ...(release ? [`${declared.file}: before each release, \`${declared.release}\``] : []),
  ];
  return {
    ...found,
    ...(start && {
      startCommand: start,
      startProgram: null,
      outputDirectory: null,
      fallback: null,
      port: found?.port ?? 3000,
    }),
    ...(release && { releaseCommand: release }),
    reasons,
  };
}

/** Returns the processes of the first file that declares any. */
export async function declaredProcesses(tree: SourceTree): Promise<Declared | undefined> {
  const names = new Set(await tree.list(''));
  for (const [file, read] of Object.entries(readers)) {
    const { start = null, release = null, other = null } = names.has(file) ? await read(tree, file) : {};
    if (start || release || other) return { file, start, release, other };
  }
  return undefined;
}

type Read = (tree: SourceTree, file: string) => Promise<Partial<Omit<Declared, 'file'>>>;

/** In order of precedence: settings of other platforms, then the Procfile. */
const readers: Record<string, Read> = {
  'railpack.json': async (tree, file) => ({ start: line(child(await readJson(tree, file), 'deploy')['startCommand']) }),
  'nixpacks.toml': async (tree, file) => ({ start: line(child(await readToml(tree, file), 'start')['cmd']) }),
  'nixpacks.json': async (tree, file) => ({ start: line(child(await readJson(tree, file), 'start')['cmd']) }),
  'railway.json': async (tree, file) => railway(child(await readJson(tree, file), 'deploy')),
  'railway.toml': async (tree, file) => railway(child(await readToml(tree, file), 'deploy')),
  Procfile: async (tree, file) => {
    const processes = parseProcfile((await tree.read(file)) ?? '');
    const [first] = [...processes].filter(([name]) => name !== 'release').map(([, command]) => command);
    const other = processes.get('worker') ?? first ?? null;
    return { start: processes.get('web') ?? null, release: processes.get('release') ?? null, other };
  },
};

const railway = (deploy: Record<string, unknown>) => ({
  start: line(deploy['startCommand']),
  release: line(deploy['preDeployCommand']),
});

function parseProcfile(source: string): Map<string, string> {
  const lines = source.slice(0, 20_000).split(/\r?\n/);
  const entries = lines.map((each) => /^([\w-]{1,40})\s{0,20}:\s{0,20}(\S.{0,999})$/.exec(each.trim()));
  return new Map(entries.filter((entry) => entry !== null).map(([, name, command]) => [name!, command!.trim()]));
}

/** A command must be a single line. */
const line = (value: unknown) => {
  const command = textOrNull(value);
  return command && command.length <= 1000 && !/[\n\r\0]/.test(command) ? command : null;
};
