// SSH carries one line of text to the other side's shell; there is no way to hand over a list. So each argument is put into
// single quotes, in which nothing means anything but the closing quote itself. In fish a backslash means something there
// too, so it stands outside of them, in double quotes, where both agree.

const apart: Record<string, string> = { "'": `'\\''`, '\\': `'"\\\\"'` };
const isPlain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One argument as a word of a shell. */
export function quoted(argument: string): string {
  if (argument.includes('\0')) throw new Error('an argument holds a NUL');
  return isPlain.test(argument) ? argument : `'${argument.replaceAll(/['\\]/g, (sign) => apart[sign]!)}'`;
}

/** A program and its arguments as the line of a shell. */
export const quotedLine = (argv: string[]): string => argv.map(quoted).join(' ');
