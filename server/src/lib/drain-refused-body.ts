import type { Readable } from 'node:stream';

const patienceMs = 5000;

/** Lets the sender of a refused body finish a while, so that it reads the answer; nobody would notice that it went away as
 * long as nothing is read. */
export function drainRefusedBody(raw: Readable): void {
  if (raw.closed) return;
  const impatience = setTimeout(() => raw.destroy(), patienceMs).unref();
  // What still goes wrong with it concerns nobody any more.
  raw.on('error', () => {}).once('close', () => clearTimeout(impatience));
  raw.resume();
}
