import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

const onlyDepends = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (each) => `--no-${each}`,
);
const unwanted =
  /^\/usr\/share\/(doc|man|info|locale|lintian|bug|doc-base|i18n)\/|^\/(proc|sys|dev|run|tmp|boot|home|root|mnt|media|srv)\//;
const database = '/var/lib/dpkg/info';

/** Adds the installed dependencies of the packages. */
export function withNeeded(packages: string[]): string[] {
  const installed = installedPackages();
  const needed = output('apt-cache', ['depends', '--recurse', '--installed', ...onlyDepends, ...packages])
    .map((line) => line.split(':')[0]!)
    .filter((name) => installed.has(name));
  return [...new Set([...packages, ...needed])];
}

/** The files of packages without documentation, relative to the root. */
export function debianFiles(packages: string[]): string[] {
  const paths = output('dpkg-query', ['--listfiles', ...packages])
    // Packages contain /bin and /lib, which are links to /usr.
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/'));
  const chosen = readdirSync('/etc/alternatives').map((name) => `/etc/alternatives/${name}`);
  return [...new Set([...paths, ...chosen, ...linksToChosen(new Set(paths))])]
    .filter((path) => !unwanted.test(path) && isFile(path))
    .map((path) => path.slice(1));
}

/** The package manager's records: its status and file lists. */
export function packageDatabase(packages: string[]): { status: string; files: string[] } {
  const status = execFileSync('dpkg-query', ['--status', ...packages], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const names = new Set(packages);
  const files = readdirSync(database).filter((file) => names.has(file.slice(0, file.lastIndexOf('.')).split(':')[0]!));
  return { status, files: files.map((file) => join(database, file).slice(1)) };
}

export function installedPackages(): Set<string> {
  const lines = output('dpkg-query', ['--show', '--showformat=${db:Status-Status} ${Package}\n']);
  return new Set(lines.filter((line) => line.startsWith('installed ')).map((line) => line.slice('installed '.length)));
}

/** Links of the alternatives system, which belong to no package. */
const linksToChosen = (paths: Set<string>): string[] =>
  ['/usr/bin', '/usr/sbin']
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readlinkSync(path) === `/etc/alternatives/${basename(path)}`)
    .filter((path) => existsSync(path) && paths.has(realpathSync(path)));

function isFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return !!stat && (stat.isFile() || stat.isSymbolicLink());
}

const output = (file: string, args: string[]): string[] =>
  execFileSync(file, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);
