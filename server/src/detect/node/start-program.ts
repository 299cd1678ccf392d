import type { NodeApp } from './app.ts';

// Words that mean the same with and without a shell, and variables, which are filled in either way.
const plainWord = /^(?:[\w@%+=:,./-]|\$\w+|\$\{\w+(?::-[\w./:-]*)?\})+$/;
// Variables that only a package manager sets.
const ofManager = /\bnpm_|\bINIT_CWD\b/;
// What only a shell has, and what would start a package manager after all.
const notPrograms = /^(?:\.|:|cd|exec|export|eval|set|source|echo|test|if|for|while|npm|npx|pnpm|pnpx|yarn|bun|bunx)$/;

/** The program of a script, with its arguments, where nothing else belongs to it: whoever finds the tools of the app can
 * start it without the package manager, which would stay in memory beside it and stand between it and its signals. */
export function startProgram({ manager, pkg: { scripts } }: NodeApp, script: string): string | null {
  const command = scripts.get(script)?.trim() ?? '';
  const words = command.split(/\s+/);
  const program = words.find((word) => !/^\w+=/.test(word));
  const isAlone = !scripts.has(`pre${script}`) && !scripts.has(`post${script}`);
  if (!isAlone || ofManager.test(command)) return null;
  if (!program || command.length > 500 || !words.every((word) => plainWord.test(word))) return null;
  // The tools of newer Yarns may be in archives, where only Yarn finds them; those of Bun are Bun's to run.
  const hasTools =
    manager.name === 'npm' || manager.name === 'pnpm' || manager.installLocked.includes('--frozen-lockfile');
  return manager.name !== 'bun' && hasTools && !notPrograms.test(program) ? words.join(' ') : null;
}
