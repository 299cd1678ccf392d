export type LineLevel = 'info' | 'warn' | 'error';

/** A cheap test first, since most lines name no error. */
const mayBeError = /error|err!|exception|panic|fatal|not found|denied/i;
const errorLines = [
  /^\s*(?:Uncaught |Caused by: |\[cause\]: )?(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Panic)(?: \[\w+\])?(?:: |$)/,
  /^\s*(?:\S{1,100}\s){0,2}(?:error|fatal)(?:\[\w+\]| [A-Z]{1,4}\d+)?: /i,
  /^(?:\[\w+\] )?(?:ERROR|FATAL)\b/,
  /^\s*(?:panic|fatal error): /,
  /\berror TS\d+: /,
  /^npm (?:ERR!|error) (?!code|errno|path|command|syscall|dest|cwd|workspace|location|Lifecycle|A complete log)/,
  /: (?:command )?not found$/,
  /: (?:No such file or directory|Permission denied)$/i,
];
const noise = /\b0 errors?\b|^error Command failed\b/i;
// Limits the work for overlong lines.
const longestLine = 2000;

/** Many programs print errors as plain output, so they are recognized by their words. */
export function namesError(text: string): boolean {
  if (!mayBeError.test(text)) return false;
  const line = text.slice(0, longestLine);
  return errorLines.some((pattern) => pattern.test(line)) && !noise.test(line);
}

/** Returns the level of a line. */
export function levelOf(level: string, text: string): LineLevel {
  if (level === 'error' || level === 'warn') return level;
  return namesError(text) ? 'error' : 'info';
}
