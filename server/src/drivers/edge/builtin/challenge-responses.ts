/** ACME challenge responses by token. `untilMs` is a Unix time in milliseconds. */
export type ChallengeResponses = Record<string, { text: string; untilMs: number }>;

const keptMs = 3_600_000;
const mostKept = 1000;
const mostBytes = 4096;

export const isChallengeToken = (token: unknown): token is string =>
  typeof token === 'string' && /^[\w-]{1,256}$/.test(token);
export const isChallengeText = (text: unknown): text is string =>
  typeof text === 'string' && text.length > 0 && Buffer.byteLength(text) <= mostBytes;

/** Adds or removes one response and drops the expired ones. */
export function withChallengeResponse(
  given: ChallengeResponses,
  token: string,
  text: string | null,
): ChallengeResponses {
  const now = Date.now();
  const others = Object.entries(given).filter(([each, { untilMs }]) => each !== token && untilMs > now);
  const newest = others.slice(-(mostKept - 1));
  return Object.fromEntries(text === null ? others : [...newest, [token, { text, untilMs: now + keptMs }]]);
}

/** Returns null for a token that is unknown or expired. */
export function challengeResponseFor(given: ChallengeResponses, token: string): Buffer | null {
  const found = Object.hasOwn(given, token) ? given[token]! : null;
  return found && found.untilMs > Date.now() ? Buffer.from(found.text) : null;
}
