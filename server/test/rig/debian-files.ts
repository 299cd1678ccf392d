import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';

const onlyDepends = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (each) => `--no-${each}`,
);
const unwanted =
  /^\/usr\/share\/(doc|man|info|locale|lintian|bug|doc-base|i18n)\/|^\/(proc|sys|dev|run|tmp|boot|home|root|mnt|media|srv)\//;

/** The files of installed packages and of those that they need, without documentation, relative to the root. */
export function debianFiles(packages: string[]): string[] {
  const installed = new Set(output('dpkg-query', ['--show', '--showformat=${Package}\n']));
  const needed = output('apt-cache', ['depends', '--recurse', '--installed', ...onlyDepends, ...packages])
    .map((line) => line.split(':')[0]!)
    .filter((name) => installed.has(name));
  const paths = output('dpkg-query', ['--listfiles', ...new Set([...packages, ...needed])])
    // Packages name /bin and /lib, which are links to /usr.
    .map((path) => path.replace(/^\/(bin|sbin|lib|lib64)\//, '/usr/$1/'));
  const chosen = readdirSync('/etc/alternatives').map((name) => `/etc/alternatives/${name}`);
  return [...new Set([...paths, ...chosen])]
    .filter((path) => !unwanted.test(path) && isFile(path))
    .map((path) => path.slice(1));
}

function isFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return !!stat && (stat.isFile() || stat.isSymbolicLink());
}

const output = (file: string, args: string[]): string[] =>
  execFileSync(file, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);
