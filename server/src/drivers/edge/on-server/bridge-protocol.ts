import type { Hello } from '../builtin/protocol.ts';

// Protocol on the standard streams of the bridge: one JSON value per line, responses in any order.

/** First line from the bridge. */
export interface BridgeGreeting {
  /** Fingerprint of its program, to detect that ours is newer. */
  keeper: string;
}

/** Local folder that a site came from. */
export interface SiteOrigin {
  folder: string;
  within: string | null;
}

export interface StartFailure {
  message: string;
  /** Increments, to tell a new failure from an old one. */
  attempt: number;
}

/** Operations and their results. */
export interface BridgeOperations {
  hello: { args: []; gives: Hello | null };
  call: { args: [method: string, path: string, body: unknown, withinMs: number]; gives: unknown };
  /** Why the edge does not start; null if there was no failure. */
  failure: { args: []; gives: StartFailure | null };
  /** The stored programs, and the one that should run. */
  programs: { args: []; gives: { names: string[]; current: string | null } };
  /** System error code of an attempt to listen; null on success. */
  probe: { args: [host: string, port: number]; gives: string | null };
  untilGone: { args: []; gives: null };
  /** Whether the site exists. Postpones the removal of one that does. */
  hasSite: { args: [name: string]; gives: boolean };
  /** Renames a complete draft to the site's name. */
  adoptSite: { args: [draft: string, name: string]; gives: null };
  origins: { args: []; gives: Record<string, SiteOrigin> };
  /** Removes sites that have been unused for that long, and programs that are not listed. */
  sweep: { args: [used: { sites: string[]; programs: string[] }, unusedMs: number]; gives: null };
  ping: { args: []; gives: null };
}

export type BridgeOperation = keyof BridgeOperations;
export type BridgeCall = { id: number; operation: BridgeOperation; args: unknown[] };
export type BridgeAnswer = { id: number; value: unknown } | { id: number; error: string; code: string | null };

/** The edge is not running; other codes come from the edge itself. */
export const notRunning = 'not_running';

/** Interval of pings from our side; a bridge exits after `silenceMs` without input. */
export const pingMs = 15_000;
export const silenceMs = 60_000;
