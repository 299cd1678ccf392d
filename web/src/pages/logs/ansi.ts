/** Text of one style within a log line. */
export type Span = { text: string; style: SpanStyle | undefined };
export type SpanStyle = {
  color?: string;
  backgroundColor?: string;
  fontWeight?: number;
  fontStyle?: 'italic';
  textDecoration?: 'underline';
  opacity?: number;
};

type Rgb = readonly [red: number, green: number, blue: number];
type State = {
  color?: Rgb | undefined;
  background?: Rgb | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
};

// CSI, OSC and other escape sequences, including unterminated ones.
const escapes = new RegExp(
  [
    '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)([0-?]*)[ -/]*([@-~]?)',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;
const hasInvisible = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Splits a line into spans: colours become styles, other control sequences are dropped. Nothing is treated as
 * markup. */
export function spansOf(line: string): Span[] {
  const shown = lastState(line);
  if (!hasInvisible.test(shown)) return shown ? [{ text: shown, style: undefined }] : [];
  const spans: Span[] = [];
  let state: State = {};
  let from = 0;
  const add = (text: string) => {
    const clean = text.replaceAll('\t', '    ').replaceAll(invisible, ' ');
    if (clean) spans.push({ text: clean, style: styleOf(state) });
  };
  for (const match of shown.matchAll(escapes)) {
    add(shown.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') state = changed(state, match[1] ?? '');
  }
  add(shown.slice(from));
  return withoutTrailingSpace(spans);
}

/** A line without colour codes and control characters. */
export function plainText(line: string): string {
  const shown = lastState(line);
  if (!hasInvisible.test(shown)) return shown;
  return shown.replaceAll('\t', '    ').replaceAll(escapes, '').replaceAll(invisible, ' ').trimEnd();
}

/** Progress bars overwrite their line: only the last state is kept. */
function lastState(line: string): string {
  const trimmed = line.trimEnd();
  return trimmed.includes('\r') ? (trimmed.split('\r').at(-1) ?? '') : trimmed;
}

function withoutTrailingSpace(spans: Span[]): Span[] {
  const last = spans.at(-1);
  if (!last) return spans;
  const text = last.text.trimEnd();
  return text ? [...spans.slice(0, -1), { ...last, text }] : withoutTrailingSpace(spans.slice(0, -1));
}

/** The state after one `ESC [ … m`. */
function changed(before: State, parameters: string): State {
  if (!/^[\d;:]*$/.test(parameters)) return before;
  const codes = parameters.split(/[;:]/).map(Number);
  let state = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]!;
    if (code === 38 || code === 48) {
      const { color, length } = extendedColor(codes, at + 1);
      at += length;
      if (color) state = { ...state, [code === 38 ? 'color' : 'background']: color };
    } else state = changedBy(state, code);
  }
  return state;
}

const changedBy = (state: State, code: number): State => {
  if (code === 0) return {};
  if (code >= 30 && code <= 37) return { ...state, color: palette[code - 30] };
  if (code >= 90 && code <= 97) return { ...state, color: palette[code - 82] };
  if (code >= 40 && code <= 47) return { ...state, background: palette[code - 40] };
  if (code >= 100 && code <= 107) return { ...state, background: palette[code - 92] };
  return { ...state, ...switches[code] };
};

const switches: Record<number, State> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { color: undefined },
  49: { background: undefined },
};

/** `5;n` is one of 256 colours, `2;r;g;b` any colour. */
function extendedColor(codes: number[], at: number): { color?: Rgb | undefined; length: number } {
  if (codes[at] === 5) return { color: indexedColor(codes[at + 1] ?? 0), length: 2 };
  if (codes[at] !== 2) return { length: 1 };
  const [red = 0, green = 0, blue = 0] = codes.slice(at + 1, at + 4).map((part) => Math.min(255, part));
  return { color: [red, green, blue], length: 4 };
}

function indexedColor(index: number): Rgb | undefined {
  if (index < 16) return palette[index];
  if (index > 255) return undefined;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (step: number) => (step ? 55 + step * 40 : 0);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

const palette: readonly Rgb[] = [
  [0, 0, 0],
  [205, 49, 49],
  [13, 160, 100],
  [190, 150, 10],
  [36, 114, 200],
  [188, 63, 188],
  [17, 150, 185],
  [229, 229, 229],
  [110, 110, 110],
  [241, 76, 76],
  [35, 190, 120],
  [220, 190, 40],
  [59, 142, 234],
  [214, 112, 214],
  [41, 184, 219],
  [255, 255, 255],
];

function styleOf(state: State): SpanStyle | undefined {
  const style: SpanStyle = {
    ...colorsOf(state),
    ...(state.bold && { fontWeight: 700 }),
    ...(state.italic && { fontStyle: 'italic' }),
    ...(state.underline && { textDecoration: 'underline' }),
    ...(state.dim && { opacity: 0.75 }),
  };
  return Object.keys(style).length ? style : undefined;
}

/** A background means that the program chose both colours. Otherwise the colour's lightness is adjusted to be
 * readable on the page, in light and dark mode. */
function colorsOf({ color, background, inverse }: State): SpanStyle {
  if (inverse) return onBackground(background ?? paper, color ?? ink);
  if (background) return onBackground(color ?? (isBright(background) ? paper : ink), background);
  if (!color) return {};
  const own = rgb(color);
  return { color: `light-dark(oklch(from ${own} min(l, 0.5) c h), oklch(from ${own} max(l, 0.72) c h))` };
}

const paper: Rgb = [12, 21, 26];
const ink: Rgb = [238, 243, 245];
const onBackground = (color: Rgb, background: Rgb): SpanStyle => ({
  color: rgb(color),
  backgroundColor: rgb(background),
});
const isBright = ([red, green, blue]: Rgb): boolean => red * 0.3 + green * 0.59 + blue * 0.11 > 128;
const rgb = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;
