import { badRequest } from '../errors.ts';

// Everything that becomes a part of a Dockerfile goes through here. Names and versions come from files of strangers, so
// what could mean something to Docker or a shell is refused, and commands are given whole, as one string of a JSON array.

const plainPath = /^\/?[\w.@+-]+(\/[\w.@+-]+)*\/?$/;
const plainWord = /^[\w@%+=:,./-]+$/;

/** A path that needs no quotes and has no variables in it. */
export function checkedPath(path: string): string {
  if (path === '' || (path.length < 500 && plainPath.test(path) && !path.split('/').includes('..'))) return path;
  throw badRequest(`${JSON.stringify(path)} cannot be used in a Dockerfile: use letters, digits and . _ @ + - only`);
}

export const isUsablePath = (path: string): boolean => plainPath.test(path) && !path.split('/').includes('..');

export function checkedVariableName(name: string): string {
  if (/^[A-Za-z_]\w{0,199}$/.test(name)) return name;
  throw badRequest(`${JSON.stringify(name)} is not the name of a variable`);
}

/** A tag of an image: only digits and dots of a version get through, otherwise the usual one. */
export const tag = (version: string | null, usual: string): string =>
  version !== null && /^\d{1,4}(\.\d{1,4}){0,2}$/.test(version) ? version : usual;

/** JSON, which Docker takes as it is; the signs of a here-document and of lines are kept from everybody's eyes. */
const json = (words: string[]) => `[${words.map((word) => escaped(JSON.stringify(word))).join(', ')}]`;

const escaped = (text: string) =>
  text.replaceAll(/[<\u007f-\u009f\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

const isSimple = (command: string) =>
  command.split(' ').every((word) => plainWord.test(word)) && /^[\w./]/.test(command);

type RunOptions = { caches?: string[]; secrets?: string[] };

/** Runs a command. Secrets are files while it runs, and variables of that command alone. */
export function runInstruction(command: string, { caches = [], secrets = [] }: RunOptions = {}): string {
  const mounts = [...caches, ...secrets.map((name) => `--mount=type=secret,id=${checkedVariableName(name)}`)];
  const flags = mounts.map((mount) => `${mount} `).join('');
  if (!secrets.length) return `RUN ${flags}${isSimple(command) ? command : json(['/bin/sh', '-c', command])}`;
  const exports = secrets.map((name) => `export ${name}="$(cat /run/secrets/${name})"`).join('; ');
  return `RUN ${flags}${json(['/bin/sh', '-c', `${exports}; exec /bin/sh -c "$1"`, 'build', command])}`;
}

/** A command of ours, which is text that we wrote. */
export const runOurs = (command: string): string => `RUN ${command}`;

export const cacheMount = (scope: string, name: string, folder: string): string => {
  if (!/^[\w-]{1,100}$/.test(scope)) throw badRequest('the scope of a cache is letters, digits, - and _');
  return `--mount=type=cache,id=${scope}-${name},target=${checkedPath(folder)}`;
};

export const aptInstall = (packages: string[]): string => {
  const names = packages.filter((name) => /^[a-z0-9][a-z0-9.+-]*$/.test(name)).join(' ');
  return runOurs(
    `apt-get update && apt-get install -y --no-install-recommends ${names} && rm -rf /var/lib/apt/lists/*`,
  );
};

export const environment = (values: Record<string, string>): string =>
  `ENV ${Object.entries(values)
    .map(([name, value]) => `${checkedVariableName(name)}=${plainWord.test(value) ? value : JSON.stringify(value)}`)
    .join(' ')}`;

/** What is started: a program with its words, or whatever needs a shell as one command for it. */
export function start(command: string): string {
  const hasVariables = /^\w+=/.test(command);
  if (isSimple(command) && !hasVariables) return startWords(command.split(' '));
  // A single program takes the place of the shell, so that it gets the signals.
  const isSingle = !/[;&|<>()`\n]/.test(command) && !/^(\.|:|export|exec|cd|eval|set)\s/.test(command);
  return startWords(['/bin/sh', '-c', isSingle ? `exec ${hasVariables ? 'env ' : ''}${command}` : command]);
}

export function startWords(words: string[]): string {
  return `CMD ${json(words)}`;
}
