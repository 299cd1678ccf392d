import type { Recipe } from '../../model/recipe.ts';

const separators = /&&|\|\||[;|&\n]/;
const prefix = /^(?:(?:exec|env|time|nice)\s+|[A-Za-z_]\w{0,100}=\S{0,1000}\s+)+/;

/** Returns the programs that a command line starts, as far as they are plain names or paths. */
const wordsOf = (command: string): string[] =>
  command
    .slice(0, 10_000)
    .split(separators)
    .map((part) => /^[\w./+-]+(?=\s|$)/.exec(part.trim().replace(prefix, ''))?.[0])
    .filter((word) => word !== undefined);

type Commands = Pick<Recipe, 'installCommand' | 'buildCommand' | 'releaseCommand' | 'startCommand' | 'startProgram'>;

/** Returns the names of the programs in all commands of an app. */
export const programsIn = (recipe: Commands): string[] => wordsIn(recipe).filter((word) => !word.includes('/'));

/** Returns the programs of the source in all commands of an app: `./gradlew`. */
export const scriptsIn = (recipe: Commands): string[] => wordsIn(recipe).filter((word) => /^[^/]+\//.test(word));

function wordsIn(recipe: Commands): string[] {
  const { installCommand, buildCommand, releaseCommand, startCommand, startProgram } = recipe;
  const commands = [installCommand, buildCommand, releaseCommand, startProgram ?? startCommand];
  return [...new Set(commands.flatMap((each) => (each ? wordsOf(each) : [])))];
}
