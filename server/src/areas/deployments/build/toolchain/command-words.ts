import type { Recipe } from '../../model/recipe.ts';

const separators = /&&|\|\||[;|&\n]/;
const prefix = /^(?:(?:exec|env|time|nice)\s+|[A-Za-z_]\w{0,100}=\S{0,1000}\s+)+/;

/** Returns the names of the programs that a command line starts, as far as they are plain words. */
export const wordsOf = (command: string): string[] =>
  command
    .slice(0, 10_000)
    .split(separators)
    .map((part) => /^[\w.+-]+(?=\s|$)/.exec(part.trim().replace(prefix, ''))?.[0])
    .filter((word) => word !== undefined);

type Commands = Pick<Recipe, 'installCommand' | 'buildCommand' | 'releaseCommand' | 'startCommand' | 'startProgram'>;

/** Returns the programs of all commands of an app. */
export function programsIn(recipe: Commands): Set<string> {
  const { installCommand, buildCommand, releaseCommand, startCommand, startProgram } = recipe;
  const commands = [installCommand, buildCommand, releaseCommand, startProgram ?? startCommand];
  return new Set(commands.flatMap((each) => (each ? wordsOf(each) : [])));
}
