import { createHash } from 'node:crypto';
import type { AuthorityOrderTable } from '../../../db/tables.ts';

const dayMs = 86_400_000;
const windowMs = 30 * dayMs;
const firstPauseMs = 60_000;
const longestPauseMs = dayMs;
const longestLookMs = 600_000;

type Validity = { fingerprint: string; notBefore: number; notAfter: number };

/** When a certificate is renewed: when thirty days or a third of its life are left, whichever is less, and up to a tenth of
 * that later, so that those of one hour are not all renewed in one hour. Every replica gets the same. */
export function renewAt({ fingerprint, notBefore, notAfter }: Validity): number {
  const left = Math.min(windowMs, (notAfter - notBefore) / 3);
  return Math.round(notAfter - left * (1 - 0.1 * shareOf(fingerprint)));
}

/** Why a certificate is ordered: there is none yet that could serve, the one that serves ends soon, or somebody asked for it. */
export type Reason = AuthorityOrderTable['reason'];

type Kept = { source: string; projectId: string; fingerprint: string; notBefore: number; notAfter: number };

/** Why a name of a project needs another certificate than the one it has; `asked` when it needs none. What somebody has uploaded
 * is theirs to renew; only when it is over, any certificate is better than that one. */
export function reasonFor(kept: Kept | undefined, projectId: string, now = Date.now()): Reason {
  if (!kept || kept.projectId !== projectId) return 'first';
  const { source, fingerprint, notBefore, notAfter } = kept;
  if (source === 'uploaded') return notAfter < now ? 'first' : 'asked';
  return renewAt({ fingerprint, notBefore, notAfter }) <= now ? 'renewal' : 'asked';
}

/** From 0 to 1, always the same for one text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;

/** After so many failures in a row also who asks has to wait. Until then somebody may try what they have mended. */
const freeTries = 3;

/** Whether asking again now would only make it worse. Where the authority was not asked, it is not bothered either. */
export const mustWait = (attempts: number, code: string): boolean =>
  code === 'rate_limited' || (attempts >= freeTries && code !== 'not_pointing');

/** How long to wait after so many failures in a row: a minute, twice as long each time, a day at most. Where nobody else was
 * asked, because the name does not lead here, ten minutes at most. */
export function pauseAfter(attempts: number, code: string, random = Math.random): number {
  const longest = code === 'not_pointing' ? longestLookMs : longestPauseMs;
  const pause = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 20), longest);
  return Math.round(pause * (0.8 + 0.4 * random()));
}

export const daysLeft = (notAfter: number, now = Date.now()): number => Math.floor((notAfter - now) / dayMs);
