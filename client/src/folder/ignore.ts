type Rule = { pattern: RegExp; negated: boolean; foldersOnly: boolean };

/** Parses an ignore file in git's syntax, for paths relative to its folder. */
export function parseIgnoreFile(text: string): Rule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(parseLine)
    .filter((rule) => rule !== undefined);
}

function parseLine(line: string): Rule | undefined {
  // Trailing spaces are ignored unless escaped as `\ `.
  const text = line.replace(/(?<!\\)\s+$/, '');
  if (!text || text.startsWith('#')) return undefined;
  const negated = text.startsWith('!');
  const glob = negated ? text.slice(1) : text;
  const foldersOnly = glob.endsWith('/');
  const path = foldersOnly ? glob.slice(0, -1) : glob;
  // A slash at the beginning or in the middle anchors the pattern to its folder.
  const anchored = path.includes('/');
  const body = path.replace(/^\//, '').replaceAll(pieces, piecePattern);
  const pattern = expression(`^${anchored ? '' : '(?:.*/)?'}${body}$`);
  return pattern && { pattern, negated, foldersOnly };
}

const pieces = /\/\*\*(?=\/|$)\/?|^\*\*\/|\\.|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\])*\]|./gsu;

/** Undefined for an invalid pattern, which git ignores too. */
function expression(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'su');
  } catch {
    return undefined;
  }
}

function piecePattern(piece: string): string {
  if (piece === '**/') return '(?:.*/)?';
  if (piece === '/**/') return '/(?:.*/)?';
  if (piece === '/**') return '/.*';
  if (piece.startsWith('*')) return '[^/]*';
  if (piece === '?') return '[^/]';
  if (piece.length > 2 && piece.startsWith('[')) return `(?!/)${classPattern(piece)}`;
  // A trailing backslash matches nothing.
  if (piece === '\\') return '(?!)';
  return escaped(piece.startsWith('\\') ? piece.slice(1) : piece);
}

function classPattern(piece: string): string {
  const [, negation = '', members = ''] = /^\[([!^]?)(.*)\]$/su.exec(piece)!;
  return `[${negation && '^'}${members.replaceAll(/[[\]^]/g, String.raw`\$&`)}]`;
}

const escaped = (text: string) => text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);

type Layer = { folder: string; rules: Rule[] };

/** The ignore files from the root down to one folder. The last matching rule decides, and the deepest file comes
 * last. */
export class IgnoreRules {
  readonly #layers: Layer[];

  constructor(layers: Layer[] = []) {
    this.#layers = layers;
  }

  /** Adds the rules of a file in `folder`; the root is the empty path. */
  with(folder: string, rules: Rule[]): IgnoreRules {
    return rules.length ? new IgnoreRules([...this.#layers, { folder, rules }]) : this;
  }

  ignores(path: string, isFolder: boolean): boolean {
    for (const { folder, rules } of this.#layers.toReversed()) {
      const relative = folder ? path.slice(folder.length + 1) : path;
      const rule = rules.findLast(({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(relative));
      if (rule) return !rule.negated;
    }
    return false;
  }
}
