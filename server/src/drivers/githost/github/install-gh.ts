import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const installers: [manager: string, command: string[]][] = [
  ['apt-get', ['apt-get', 'install', '-y', 'gh']],
  ['dnf', ['dnf', 'install', '-y', 'gh']],
  ['apk', ['apk', 'add', 'github-cli']],
  ['pacman', ['pacman', '-S', '--noconfirm', 'github-cli']],
  ['zypper', ['zypper', '--non-interactive', 'install', 'gh']],
  ['brew', ['brew', 'install', 'gh']],
];

/** Returns the command that installs `gh` on this machine; undefined without a known package manager. */
export function installCommand(path: string, isRoot = process.getuid?.() === 0): string[] | undefined {
  const found = installers.find(([manager]) =>
    path.split(delimiter).some((folder) => isProgram(join(folder, manager))),
  );
  if (!found) return undefined;
  const [manager, command] = found;
  return isRoot || manager === 'brew' ? command : ['sudo', ...command];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable.
    return false;
  }
}
