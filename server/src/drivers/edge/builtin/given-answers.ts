/** Answers to questions of certificate authorities, by their tokens. Times are since 1970. */
export type GivenAnswers = Record<string, { text: string; untilMs: number }>;

const keptMs = 3_600_000;
const mostKept = 1000;
const mostBytes = 4096;

export const isToken = (token: unknown): token is string => typeof token === 'string' && /^[\w-]{1,256}$/.test(token);
export const isAnswerText = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && Buffer.byteLength(text) <= mostBytes;

/** With one more, or one less, and without those whose time is over. */
export function withAnswer(given: GivenAnswers, token: string, text: string | null): GivenAnswers {
  const now = Date.now();
  const others = Object.entries(given).filter(([each, { untilMs }]) => each !== token && untilMs > now);
  const newest = others.slice(-(mostKept - 1));
  return Object.fromEntries(text === null ? others : [...newest, [token, { text, untilMs: now + keptMs }]]);
}

/** Null where nothing was given, or its time is over. */
export function answerTo(given: GivenAnswers, token: string): Buffer | null {
  const found = Object.hasOwn(given, token) ? given[token]! : null;
  return found && found.untilMs > Date.now() ? Buffer.from(found.text) : null;
}
