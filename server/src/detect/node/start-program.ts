import type { NodeApp } from './app.ts';

// Words without shell syntax, apart from variables.
const plainWord = /^(?:[\w@%+=:,./-]|\$\w+|\$\{\w+(?::-[\w./:-]*)?\})+$/;
// Variables of package managers.
const ofManager = /\bnpm_|\bINIT_CWD\b/;
// Shell builtins, and package managers.
const notPrograms = /^(?:\.|:|cd|exec|export|eval|set|source|echo|test|if|for|while|npm|npx|pnpm|pnpx|yarn|bun|bunx)$/;

/**
 * Returns the program of a script with a single command, so that it runs without the package manager, which would use
 * memory and intercept signals.
 */
export function startProgram({ manager, pkg: { scripts } }: NodeApp, script: string): string | null {
  const command = scripts.get(script)?.trim() ?? '';
  const words = command.split(/\s+/);
  const program = words.find((word) => !/^\w+=/.test(word));
  const isAlone = !scripts.has(`pre${script}`) && !scripts.has(`post${script}`);
  if (!isAlone || ofManager.test(command)) return null;
  if (!program || command.length > 500 || !words.every((word) => plainWord.test(word))) return null;
  // Tools of later Yarn versions may be in archives that only Yarn can read; Bun runs its own.
  const hasTools =
    manager.name === 'npm' || manager.name === 'pnpm' || manager.installLocked.includes('--frozen-lockfile');
  return manager.name !== 'bun' && hasTools && !notPrograms.test(program) ? words.join(' ') : null;
}
