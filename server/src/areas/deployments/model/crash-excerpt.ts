import { cutLineMark } from '../../../lib/redact.ts';
import { terminalText } from '../../../lib/terminal-text.ts';

/** The line of a program's output that explains why it exited, with the lines around it. */
export type CrashExcerpt = {
  reason: string;
  lines: string[];
  /** Index of the first of the lines in the output. */
  at: number;
  /** False if no line names an error and the excerpt is just the last output. */
  isError: boolean;
  /** Whether the line names an exception or heads a stack trace. */
  isCrash: boolean;
  /** All lines that were looked at. */
  output: readonly string[];
};

const linesBefore = 4;
const linesAfter = 4;
const longestReason = 300;
const furthestHeader = 30;
/** Bounds the regular expressions, which run on the main thread over untrusted output. */
const longestLine = 2_000;

/** Number of output lines to keep for explaining a failure. */
export const keptOutput = 400;

/** Returns the lines that explain a crash; null for empty output. */
export function crashExcerpt(output: readonly string[]): CrashExcerpt | null {
  const first = Math.max(0, output.length - keptOutput);
  const lines = output.slice(first).map((line) => terminalText(line.slice(0, longestLine)).trimEnd());
  const at = explainingLine(lines);
  if (at < 0) return null;
  const line = lines[at]!;
  const isTrace = isCrash(lines, at);
  const isError = isTrace || isErrorLine(line) || isPackageManagerError(line) || brokenConnection.test(line);
  const shown = around(lines, at);
  const reason = shortened(reasonIn(line));
  return { reason, lines: shown.lines, at: first + shown.from, isError, isCrash: isTrace, output: lines };
}

/** A crash's error comes last. Of several compiler errors, the first usually causes the others. */
function explainingLine(lines: string[]): number {
  const crash = lines.findLastIndex((_, at) => isCrash(lines, at));
  if (crash >= 0) return crash;
  const broken = unreachableIndexLine(lines);
  if (broken >= 0) return broken;
  const first = lines.findIndex((line) => isErrorLine(line) && !isNoise(line));
  if (first >= 0) return first;
  const last = lines.findLastIndex((line, at) => line.trim() !== '' && !isNoise(line) && !isEcho(lines, at));
  if (last >= 0) return last;
  // The package manager itself failed.
  const failed = lines.findIndex((line) => isPackageManagerError(line));
  return failed >= 0 ? failed : lines.findLastIndex((line) => /^npm (?:ERR!|error) \S/.test(line));
}

function isCrash(lines: string[], at: number): boolean {
  const line = lines[at]!;
  if (isNoise(line)) return false;
  return isNamed(lines, at) || isPythonError(lines, at) || isHeaderOfTrace(lines, at);
}

const errorClass = '(?:[A-Za-z_$][\\w$.]*)?(?:Error|Exception|Panic)';
/** Text that may precede the name of an error: `Caused by: `, `[cause]: `, `Uncaught `. */
const prefixes = [
  'Uncaught ',
  'Caused by: ',
  '\\[cause\\]: ',
  'Unhandled exception\\. ',
  'Exception in thread "[^"]{0,100}" ',
  'Unhandled (?:promise )?[Rr]ejection:? ',
].join('|');
const namedError = new RegExp(`^\\s*(?:${prefixes}){0,2}${errorClass}(?: \\[\\w+\\])?(?:: |$)`);
const strippedPrefix = new RegExp(`^\\s*(?:${prefixes}){1,2}`);

/** Patterns that explain a crash wherever they appear. */
const crashLines = [
  namedError,
  /^\s*panic: /,
  /^fatal error: /,
  /^(?:PHP )?(?:Fatal|Parse) error: /,
  // Ruby: /app/app.rb:3:in 'main': undefined method (NoMethodError)
  /^[^:\s][^:]*:\d+:in [^:]+: .+ \([A-Z][\w:]*\)$/,
  // Elixir and Erlang
  /^\*\* \([A-Z][\w. ]*\) /,
  /^thread '[^']*' (?:\(\d+\) )?panicked at '/,
];

/** A stack frame of Node, Java, .NET (`at`), Ruby (`from`) or PHP (`#0`). */
const isFrame = (line: string): boolean =>
  /^\s+(?:at|from) \S/.test(line) || /^#\d+ \S/.test(line) || /^\s+\.{3} \d+ more$/.test(line);

/**
 * The header of a stack trace is the last line before the frames that names an error, or else the line right before
 * them.
 */
function isHeaderOfTrace(lines: string[], at: number): boolean {
  if (isFrame(lines[at]!) || lines[at]!.trim() === '' || lines[at]!.startsWith('Stack trace:')) return false;
  return isFrame(lines[at + 1] ?? '') && !hasNamedErrorBefore(lines, at);
}

/** In a message of several lines, the first one has the name. */
function hasNamedErrorBefore(lines: string[], at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - furthestHeader); before--) {
    if (isFrame(lines[before]!)) return false;
    if (isNamed(lines, before)) return true;
  }
  return false;
}

/** Matches the first unindented line after a traceback. */
function isPythonError(lines: string[], at: number): boolean {
  if (!/^[A-Za-z_]/.test(lines[at]!)) return false;
  let before = at - 1;
  while (before >= 0 && /^\s+\S/.test(lines[before]!)) before--;
  return before < at - 1 && (lines[before] ?? '').startsWith('Traceback (most recent call last):');
}

/** Rust and Vite print the message on the line after these. */
const messageFollows = [/^thread '[^']*' (?:\(\d+\) )?panicked at .+:\d+:\d+:$/, /^error during build:$/];

/** Whether the line alone names the error. */
const isNamed = (lines: string[], at: number): boolean =>
  crashLines.some((pattern) => pattern.test(lines[at]!)) ||
  messageFollows.some((pattern) => pattern.test(lines[at - 1] ?? ''));

/** Lines of compilers, bundlers, package managers and shells that name a problem. */
const errorLines = [
  /^\s*(?:\S{1,200}\s){0,2}(?:error|fatal|FATAL ERROR|Type error)(?:\[\w+\]| [A-Z]{1,4}\d+)?: /i,
  /^(?:\[\w+\] )?(?:ERROR|FATAL)\b/,
  /\berror TS\d+: /,
  /^\s*Module not found: /,
  /^\S+:\d+:\d+: (?!warning|note)\S/,
  /: (?:command )?not found$/,
  /: (?:No such file or directory|Permission denied)$/i,
  /\b(?:EADDRINUSE|ECONNREFUSED|ENOTFOUND|EACCES|ENOENT|ENOSPC)\b/,
  /\bout of memory\b/i,
  // Yarn 2 and later
  /^➤ YN0000: │ \S{1,200} STD(?:OUT|ERR) (?:Usage )?Error: /,
  /^➤ YN00(?:01|09|18|27|35|82): /,
];
const isErrorLine = (line: string): boolean => errorLines.some((pattern) => pattern.test(line));

/** The last line of Node's output after a crash. */
const nodeVersion = /^Node\.js v\d/;

/** Wrapper output around a failed command that does not explain the failure. */
const noise = [
  /^npm (?:ERR!|error|warn|WARN|notice)/,
  /^\s*ELIFECYCLE\b/,
  /^error Command failed\b/,
  /^error: script "[^"]*" exited with code \d+/,
  /^(?:info|verbose) /,
  /^make(?:\[\d+\])?: \*\*\* /,
  /^exit status \d+$/,
  nodeVersion,
  /^note: run with `RUST_BACKTRACE/,
  /^\(Use `node --trace-/,
  /^Error: (?:Command failed|Process completed with exit code)\b/,
  /^\s*\^[~^]*\s*$/,
  /^\[mooring\] /,
  /\b0 errors?\b/,
  /^➤ YN0000: [·┌└] /,
];
const isNoise = (line: string): boolean =>
  noise.some((pattern) => pattern.test(line)) ||
  isFrame(line) ||
  /Command failed/.test(line.split('ELIFECYCLE', 2)[1] ?? '');

/** npm prints which script it runs: `> shop@1.0.0 start`, and on the next line `> node server.js`. */
const scriptHeader = /^> \S+@\d\S* \S/;
const isEcho = (lines: string[], at: number): boolean =>
  lines[at]!.startsWith('> ') && [lines[at]!, lines[at - 1] ?? ''].some((line) => scriptHeader.test(line));

/** Lines of npm's failure output that name the problem. */
const isPackageManagerError = (line: string): boolean =>
  /^npm (?:ERR!|error) /.test(line) &&
  !/^npm (?:ERR!|error) (?:code|errno|path|command|syscall|dest|cwd|workspace|location|Lifecycle|A complete log|\d+ )/.test(
    line,
  );

export const unreachableIndex = 'pip cannot reach the package index';
const brokenConnection = /^WARNING: Retrying .{1,200} after connection broken by '(.{1,1000})': \//;

/** pip reports an unreachable index as a package without versions. The warning before has the reason. */
function unreachableIndexLine(lines: string[]): number {
  const without = lines.findIndex((line) => line.endsWith('(from versions: none)'));
  return lines.slice(0, Math.max(0, without)).findLastIndex((line) => brokenConnection.test(line));
}

/** `NewConnectionError("HTTPSConnection(host='a', port=1): Connection refused")` becomes `Connection refused`. */
const innerMessage = (error: string): string =>
  error
    .replace(/^(?:\w{1,50}Error\()+(?:\d+, )?["']?/, '')
    .replace(/^(?:<[^>]{1,200}>|HTTPS?Connection(?:Pool)?\([^)]{1,200}\))(?:: |, ["'])/, '')
    .replace(/["']\)+$/, '');

/** Strips everything before the error itself. */
function reasonIn(line: string): string {
  const [, broken] = brokenConnection.exec(line) ?? [];
  if (broken) return `${unreachableIndex}: ${innerMessage(broken)}`;
  return line
    .replace(strippedPrefix, '')
    .replace(/^npm (?:ERR!|error) |^➤ YN\d{4}: (?:│ )?/, '')
    .trim();
}

/** Appends the mark that tells the redactor that a secret may be cut here. */
const shortened = (text: string): string =>
  text.length > longestReason ? `${text.slice(0, longestReason).toWellFormed()}${cutLineMark}` : text;

/** Returns the lines around the reason, without empty lines and frames inside the language runtime. */
function around(lines: string[], at: number): { from: number; lines: string[] } {
  // An app that restarts in a loop prints the same error each time.
  const telling = lines.flatMap((line, index) => (isTelling(line) && line !== lines[at] ? [index] : []));
  const previousCrash = lines.slice(0, at).findLastIndex((line) => nodeVersion.test(line));
  const before = telling.filter((index) => index > previousCrash && index < at).slice(-linesBefore);
  const after = telling.filter((index) => index > at).slice(0, linesAfter);
  const shown = [...before, at, ...after];
  // The caller shows the reason already.
  return { from: shown[0]!, lines: shown.length === 1 ? [] : shown.map((index) => shortened(lines[index]!)) };
}

const isTelling = (line: string): boolean => line.trim() !== '' && !/^\s+at .*\bnode:internal\//.test(line);
