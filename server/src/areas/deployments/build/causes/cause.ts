/** A known failure: lines of the output that show it, the cause and the fix. `$1` is the first group. */
export type KnownCause = [shows: RegExp, cause: string, fix: string];

export const deployAgainHint = 'and deploy again.';

export const aptfileHint = (named: string): string =>
  `Add the Debian package that has it (${named}) to a file Aptfile of the source, one name per line, ${deployAgainHint}`;
