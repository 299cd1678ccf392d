// SSH passes one line to the remote shell; there is no way to pass a list. So each argument is single-quoted, where
// only the closing quote is special. In fish the backslash is special too, so it goes into double quotes outside,
// which all shells agree on.

const apart: Record<string, string> = { "'": `'\\''`, '\\': `'"\\\\"'` };
const isPlain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one argument for a shell. */
export function shellQuoted(argument: string): string {
  if (argument.includes('\0')) throw new Error('an argument contains a NUL character');
  return isPlain.test(argument) ? argument : `'${argument.replaceAll(/['\\]/g, (sign) => apart[sign]!)}'`;
}

/** Quotes a program and its arguments as a shell command line. */
export const shellCommandLine = (argv: string[]): string => argv.map(shellQuoted).join(' ');
