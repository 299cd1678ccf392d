import type { Readable } from 'node:stream';

const patienceMs = 5000;

/** Drains a rejected body for a while, so that its sender gets to read the response; without reading, a disconnect
 * would go unnoticed. */
export function drainRefusedBody(raw: Readable): void {
  if (raw.closed) return;
  const impatience = setTimeout(() => raw.destroy(), patienceMs).unref();
  // Further errors of the body do not matter.
  raw.on('error', () => {}).once('close', () => clearTimeout(impatience));
  raw.resume();
}
