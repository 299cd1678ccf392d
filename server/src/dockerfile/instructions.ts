import { badRequest } from '../errors.ts';

// All parts of a Dockerfile are checked here. Names and versions come from untrusted files, so anything with a
// meaning for Docker or a shell is rejected, and commands are one string of a JSON array.

const plainPath = /^\/?[\w.@+-]+(\/[\w.@+-]+)*\/?$/;
const plainWord = /^[\w@%+=:,./-]+$/;

/** Returns a path that needs no quoting and has no variables. */
export function checkedPath(path: string): string {
  if (path === '' || (path.length < 500 && plainPath.test(path) && !path.split('/').includes('..'))) return path;
  throw badRequest(`${JSON.stringify(path)} cannot be used in a Dockerfile: use letters, digits and . _ @ + - only`);
}

export const isUsablePath = (path: string): boolean => plainPath.test(path) && !path.split('/').includes('..');

export function checkedVariableName(name: string): string {
  if (/^[A-Za-z_]\w{0,199}$/.test(name)) return name;
  throw badRequest(`${JSON.stringify(name)} is not the name of a variable`);
}

/** Returns a version of digits and dots, else the default. */
export const versionTag = (version: string | null, usual: string): string =>
  version !== null && /^\d{1,4}(\.\d{1,4}){0,2}$/.test(version) ? version : usual;

/** JSON for the exec form, with here-document markers and line separators escaped. */
const json = (words: string[]) => `[${words.map((word) => escaped(JSON.stringify(word))).join(', ')}]`;

const escaped = (text: string) =>
  text.replaceAll(/[<\u007f-\u009f\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

const isSimple = (command: string) =>
  command.split(' ').every((word) => plainWord.test(word)) && /^[\w./]/.test(command);

type RunOptions = { caches?: string[]; secrets?: string[] };

/** Returns a RUN instruction. Secrets are mounted files, exported for that command only. */
export function runInstruction(command: string, { caches = [], secrets = [] }: RunOptions = {}): string {
  const mounts = [...caches, ...secrets.map((name) => `--mount=type=secret,id=${checkedVariableName(name)}`)];
  const flags = mounts.map((mount) => `${mount} `).join('');
  if (!secrets.length) return `RUN ${flags}${isSimple(command) ? command : json(['/bin/sh', '-c', command])}`;
  const exports = secrets.map((name) => `export ${name}="$(cat /run/secrets/${name})"`).join('; ');
  return `RUN ${flags}${json(['/bin/sh', '-c', `${exports}; exec /bin/sh -c "$1"`, 'build', command])}`;
}

/** Returns a RUN instruction for a trusted command. */
export const runTrusted = (command: string): string => `RUN ${command}`;

export const cacheMount = (scope: string, name: string, folder: string): string => {
  if (!/^[\w-]{1,100}$/.test(scope)) throw badRequest('the scope of a cache is letters, digits, - and _');
  return `--mount=type=cache,id=${scope}-${name},target=${checkedPath(folder)}`;
};

const fromArchive =
  "sed -i -E -e 's/(deb|security).debian.org/archive.debian.org/' -e '/-updates/d' /etc/apt/sources.list && " +
  'apt-get -o Acquire::Check-Valid-Until=false update';

export const aptInstall = (packages: string[], isArchived = false): string => {
  const names = packages.filter((name) => /^[a-z0-9][a-z0-9.+-]*$/.test(name)).join(' ');
  const update = isArchived ? `(apt-get update || (${fromArchive}))` : 'apt-get update';
  return runTrusted(`${update} && apt-get install -y --no-install-recommends ${names} && rm -rf /var/lib/apt/lists/*`);
};

export const envInstruction = (values: Record<string, string>): string =>
  `ENV ${Object.entries(values)
    .map(([name, value]) => `${checkedVariableName(name)}=${plainWord.test(value) ? value : JSON.stringify(value)}`)
    .join(' ')}`;

/** Returns the CMD: the program with its arguments, or a shell command. */
export function cmdInstruction(command: string): string {
  const hasVariables = /^\w+=/.test(command);
  if (isSimple(command) && !hasVariables) return cmdOfWords(command.split(' '));
  // `exec` replaces the shell, so that the program gets the signals.
  const isSingle = !/[;&|<>()`\n]/.test(command) && !/^(\.|:|export|exec|cd|eval|set)\s/.test(command);
  return cmdOfWords(['/bin/sh', '-c', isSingle ? `exec ${hasVariables ? 'env ' : ''}${command}` : command]);
}

/** Returns the ENTRYPOINT that runs a command before the CMD. */
export const entrypointInstruction = (command: string): string =>
  `ENTRYPOINT ${json(['/bin/sh', '-c', `${command} && exec "$@"`, 'start'])}`;

export function cmdOfWords(words: string[]): string {
  return `CMD ${json(words)}`;
}
