export type LineLevel = 'info' | 'warn' | 'error';

/** Most lines name no error at all, and one test is enough for them. */
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
// Programs may print lines of any length.
const longestLine = 2000;

/** Programs write their errors as plain output, so that they are known by their words. */
export function namesError(text: string): boolean {
  if (!mayBeError.test(text)) return false;
  const line = text.slice(0, longestLine);
  return errorLines.some((pattern) => pattern.test(line)) && !noise.test(line);
}

/** What a line is about. */
export function levelOf(level: string, text: string): LineLevel {
  if (level === 'error' || level === 'warn') return level;
  return namesError(text) ? 'error' : 'info';
}
