/** One instruction, its continued lines put together. */
export interface Instruction {
  /** In upper case: `FROM`. */
  name: string;
  /** `--from=build` and the like, before the arguments. */
  flags: string[];
  arguments: string;
  /** Its last line in the file, counted from 0. A heredoc's last line is its end. */
  lastLine: number;
}

/** A Dockerfile as text, and what stands in it. It is read, never run. */
export interface Dockerfile {
  lines: string[];
  /** The comments at the top, where a file may say how it wants to be read. */
  directives: { name: string; value: string; line: number }[];
  instructions: Instruction[];
  /** Whether there are lines that are the text of an instruction (`<<`), and no instructions. */
  hasHeredocs: boolean;
}

/** Builders differ in what they take for a heredoc, and some know none: `knowsHeredocs` is false for what those read. */
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

/** A byte order mark is no space to a builder. */
const isBlank = (line: string): boolean => /^[^\S\uFEFF]*(#|$)/.test(line);

/** Engines differ in which comments they still take for one: we take all that stand before the first instruction. */
function directivesOf(lines: string[]): Dockerfile['directives'] {
  const top = lines.findIndex((line) => !isBlank(line));
  return lines.slice(0, top < 0 ? lines.length : top).flatMap((text, line) => {
    const [, name, value] = /^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=(.*)$/s.exec(text.trim()) ?? [];
    return name ? [{ name: name.toLowerCase(), value: value!.trim(), line }] : [];
  });
}

const continued = /(^|[^\\])\\[ \t]*$/;

/** The lines that belong together. Comments and empty lines in between belong to nothing. */
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

/** The line after the texts that `<<WORD` begins. */
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
