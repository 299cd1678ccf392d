import type { Hello } from '../builtin/protocol.ts';

// What goes over the standard streams of the bridge: one JSON value in each line, answers in whatever order they come.

/** The first line from the bridge. */
export interface Greeting {
  /** Fingerprint of its program, to notice that ours is a newer one. */
  keeper: string;
}

/** Where a site came from: that is how it is called on our side. */
export interface SiteOrigin {
  folder: string;
  within: string | null;
}

export interface StartFailure {
  message: string;
  /** Counts up, to tell a new failure from an old one. */
  attempt: number;
}

/** Everything that may be asked, and what is answered. */
export interface Operations {
  hello: { args: []; gives: Hello | null };
  call: { args: [method: string, path: string, body: unknown, withinMs: number]; gives: unknown };
  /** Why the edge does not start; null when nothing is known against it. */
  failure: { args: []; gives: StartFailure | null };
  /** Which programs are there, and which of them is to run. */
  programs: { args: []; gives: { names: string[]; current: string | null } };
  /** Why nobody could listen there, as a code of the system; null if that is possible. */
  probe: { args: [host: string, port: number]; gives: string | null };
  untilGone: { args: []; gives: null };
  /** Whether the site is there. One that is will not be removed for a while. */
  hasSite: { args: [name: string]; gives: boolean };
  /** What was put there as a draft becomes the site, whole. */
  adoptSite: { args: [draft: string, name: string]; gives: null };
  origins: { args: []; gives: Record<string, SiteOrigin> };
  /** Removes what has not been among the used ones for that long, and programs that are not named. */
  sweep: { args: [used: { sites: string[]; programs: string[] }, unusedMs: number]; gives: null };
  ping: { args: []; gives: null };
}

export type Operation = keyof Operations;
export type BridgeCall = { id: number; operation: Operation; args: unknown[] };
export type BridgeAnswer = { id: number; value: unknown } | { id: number; error: string; code: string | null };

/** For an edge that does not run; other codes are the edge's own. */
export const notRunning = 'not_running';

/** Whoever is on our side says something at least this often; a bridge that hears nothing for much longer ends. */
export const pingMs = 15_000;
export const silenceMs = 60_000;
