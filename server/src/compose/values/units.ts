const powers: Record<string, number> = { '': 0, b: 0, k: 1, m: 2, g: 3, t: 4, p: 5 };
const size = /^(\d+(?:\.\d*)?|\.\d+)(?:e(\d{1,2}))? ?(?:([kmgtp])(?:i?b)?|b)?$/i;

/** Parses `512m`, `1.5g`, `100kb` or a number to bytes; undefined if invalid. */
export function parseBytes(text: string): number | undefined {
  const found = size.exec(text);
  if (!found) return undefined;
  const number = Number(`${found[1]}${found[2] ? `e${found[2]}` : ''}`);
  const value = Math.trunc(number * 1024 ** powers[(found[3] ?? '').toLowerCase()]!);
  return Number.isSafeInteger(value) ? value : undefined;
}

const milliseconds: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w)/gy;

/** Parses `1m30s`, `500ms`, `1d` to milliseconds; undefined if invalid or infinite. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  let total = 0;
  let end = 0;
  for (const [whole, number, unit] of text.slice(0, 60).matchAll(part)) {
    total += Number(number) * milliseconds[unit!]!;
    end += whole.length;
  }
  return end === text.length && end > 0 && Number.isFinite(total) ? total : undefined;
}
