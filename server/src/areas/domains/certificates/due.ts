import { createHash } from 'node:crypto';
import type { AuthorityOrderTable } from '../../../db/tables.ts';

const dayMs = 86_400_000;
const windowMs = 30 * dayMs;
const firstPauseMs = 60_000;
const longestPauseMs = dayMs;
const longestLookMs = 600_000;

type Validity = { fingerprint: string; notBefore: number; notAfter: number };

/**
 * Returns when to renew a certificate: with 30 days or a third of its lifetime left, whichever is less, plus a jitter
 * of up to a tenth of that. The jitter derives from the fingerprint, so every replica computes the same time.
 */
export function renewAt({ fingerprint, notBefore, notAfter }: Validity): number {
  const left = Math.min(windowMs, (notAfter - notBefore) / 3);
  return Math.round(notAfter - left * (1 - 0.1 * shareOf(fingerprint)));
}

/** Why a certificate is ordered: none can serve yet, the current one expires soon, or a user asked for it. */
export type OrderReason = AuthorityOrderTable['reason'];

type Kept = { source: string; projectId: string | null; fingerprint: string; notBefore: number; notAfter: number };

/**
 * Returns why a domain needs another certificate; `asked` if it needs none. Uploaded certificates are the user's to
 * renew and are replaced only once expired.
 */
export function orderReasonFor(kept: Kept | undefined, projectId: string | null, now = Date.now()): OrderReason {
  if (!kept || kept.projectId !== projectId) return 'first';
  const { source, fingerprint, notBefore, notAfter } = kept;
  if (source === 'uploaded') return notAfter < now ? 'first' : 'asked';
  return renewAt({ fingerprint, notBefore, notAfter }) <= now ? 'renewal' : 'asked';
}

/** Maps a text to a stable number from 0 to 1. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

/** Failures in a row after which manual retries have to wait as well. Until then users can test their fix. */
const freeTries = 3;

/**
 * Whether a retry now would only make it worse. `not_pointing` never reaches the authority, so it never has to wait.
 */
export const mustWaitToRetry = (attempts: number, code: string): boolean =>
  code === 'rate_limited' || (attempts >= freeTries && code !== 'not_pointing');

/**
 * Returns the pause after so many failures in a row: a minute, doubled each time, at most a day. At most ten minutes
 * for `not_pointing`, which does not involve the authority.
 */
export function retryPauseMs(attempts: number, code: string, random = Math.random): number {
  const longest = code === 'not_pointing' ? longestLookMs : longestPauseMs;
  const pause = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 20), longest);
  return Math.round(pause * (0.8 + 0.4 * random()));
}

export const daysUntilExpiry = (notAfter: number, now = Date.now()): number => Math.floor((notAfter - now) / dayMs);
