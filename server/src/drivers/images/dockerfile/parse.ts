/** One instruction with its continued lines joined. */
export interface Instruction {
  /** In upper case: `FROM`. */
  name: string;
  /** Flags such as `--from=build` before the arguments. */
  flags: string[];
  arguments: string;
  /** Its last line in the file, counted from 0, including heredocs. */
  lastLine: number;
}

/** A parsed Dockerfile. It is read, never run. */
export interface Dockerfile {
  lines: string[];
  /** Parser directives in the comments at the top. */
  directives: { name: string; value: string; line: number }[];
  instructions: Instruction[];
  /** Whether there are heredocs (`<<`), whose lines are text and not instructions. */
  hasHeredocs: boolean;
}

/** Parses a Dockerfile. Builders differ in their heredoc support: `knowsHeredocs` is false for those without. */
export function parseDockerfile(text: string, knowsHeredocs = true): Dockerfile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const instructions: Instruction[] = [];
  let hasHeredocs = false;
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at]!)) {
      at++;
      continue;
    }
    const { whole, next } = joined(lines, at);
    const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(whole.trim()) ?? [];
    const name = word.toUpperCase();
    const end = knowsHeredocs ? skipHeredocs(lines, next, name, rest) : next;
    hasHeredocs ||= end > next;
    instructions.push({ name, ...flagsOf(rest), lastLine: end - 1 });
    at = end;
  }
  return { lines, directives: directivesOf(lines), instructions, hasHeredocs };
}

/** A builder does not treat a byte order mark as a space. */
const isBlank = (line: string): boolean => /^[^\S\uFEFF]*(#|$)/.test(line);

/** Engines differ in which comments count as directives: we take all before the first instruction. */
function directivesOf(lines: string[]): Dockerfile['directives'] {
  const top = lines.findIndex((line) => !isBlank(line));
  return lines.slice(0, top < 0 ? lines.length : top).flatMap((text, line) => {
    const [, name, value] = /^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=(.*)$/s.exec(text.trim()) ?? [];
    return name ? [{ name: name.toLowerCase(), value: value!.trim(), line }] : [];
  });
}

const continued = /(^|[^\\])\\[ \t]*$/;

/** Joins continued lines. Skips comments and empty lines in between. */
function joined(lines: string[], from: number): { whole: string; next: number } {
  let whole = '';
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!;
    if (at > from && isBlank(line)) continue;
    if (!continued.test(line)) return { whole: whole + line, next: at + 1 };
    whole += line.replace(continued, '$1');
  }
  return { whole, next: lines.length };
}

/** Returns the line after the heredocs of an instruction. */
function skipHeredocs(lines: string[], from: number, name: string, rest: string): number {
  if (!/^(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\b/i.test(`${name} ${rest}`)) return from;
  let at = from;
  for (const [, tabs, word] of rest.matchAll(/(?<!<)<<(-?)["']?([A-Za-z_][A-Za-z0-9_]*)["']?/g)) {
    let end = at;
    while (end < lines.length && (tabs ? lines[end]!.replace(/^\t+/, '') : lines[end]) !== word) end++;
    if (end === lines.length) break;
    at = end + 1;
  }
  return at;
}

function flagsOf(rest: string): Pick<Instruction, 'flags' | 'arguments'> {
  const flags: string[] = [];
  let left = rest.trimStart();
  for (let flag = /^--\S+/.exec(left); flag; flag = /^--\S+/.exec(left)) {
    flags.push(flag[0]);
    left = left.slice(flag[0].length).trimStart();
  }
  return { flags, arguments: left.trim() };
}
