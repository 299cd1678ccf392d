import type { CheckedDockerfile } from './check.ts';
import { stageNamed } from './stages.ts';

type Labels = Record<string, string>;

/** The text with labels put in: `first` at the begin of every stage, `last` at the end of the one that is built. Where they
 * stand in the text they cost a step, but they are on all that a builder makes from there on. */
export function labelStages(
  { file, stages }: CheckedDockerfile,
  { target, first, last }: { target: string | undefined; first: Labels; last: Labels },
): { text: string; added: number } {
  const built = (target === undefined ? undefined : stageNamed(stages, target)) ?? stages.length - 1;
  const lines = file.lines.slice(0, stages[built]!.lastLine + 1).map((line) => [line]);
  // A file may end with a line that says it goes on.
  lines.push([lines.pop()![0]!.replace(/\\[ \t]*$/, '')]);
  for (const { fromLine } of stages.slice(0, built + 1)) lines[fromLine]!.push(instruction(first));
  lines.at(-1)!.push(instruction(last));
  return { text: `${lines.flat().join('\n')}\n`, added: built + 2 };
}

const instruction = (labels: Labels): string =>
  `LABEL ${Object.entries(labels)
    .map((pair) => pair.map(quoted).join('='))
    .join(' ')}`;

/** As the builder reads it: quotes, backslashes and dollars stand for themselves, and a line end cannot end the line. */
const quoted = (text: string): string =>
  `"${text.replaceAll(/["\\$]/g, (character) => `\\${character}`).replaceAll(/[\r\n]+/g, ' ')}"`;
