import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unwrap } from '@mooring/client';
import { plainText, styled } from '../output.ts';
import { StatusLine } from '../status-line.ts';
import type { Adoption } from './adopted-project-command.ts';

const pollMs = 1000;

/** The original containers that wait for an undo. */
const stoppedIn = ({ services }: Pick<Adoption, 'services'>): string[] =>
  services
    .flatMap(({ originals }) => originals.filter(({ standing }) => standing === 'stopped'))
    .map(({ name }) => name);

/** Says which services an undo interrupts; undefined if none. */
export function downtimeOf({ services }: Adoption): string | undefined {
  const names = services
    .filter((service) => service.stopsFirst && stoppedIn({ services: [service] }).length)
    .map(({ name }) => plainText(name));
  if (!names.length) return undefined;
  const [stop, their] = names.length === 1 ? ['stops', 'its'] : ['stop', 'their'];
  return `Short downtime: ${names.join(', ')} ${stop} before ${their} original containers start, because they share a port or a volume.`;
}

/** Shows which original containers run again while an undo is in progress. */
export async function showRestoring<T>(client: Client, adoption: Adoption, undo: Promise<T>): Promise<T> {
  const { projectId } = adoption;
  const line = new StatusLine();
  const left = new Set(stoppedIn(adoption));
  const count = left.size;
  const ended = undo.then(
    () => true,
    () => true,
  );
  try {
    while (!(await Promise.race([ended, sleep(pollMs, false)]))) {
      // Only a display: the undo itself reports what fails.
      const now = await unwrap(client.GET('/api/migration/{projectId}', { params: { path: { projectId } } })).catch(
        () => undefined,
      );
      const stopped = now && stoppedIn(now.data);
      for (const name of left) {
        if (!stopped || stopped.includes(name)) continue;
        left.delete(name);
        const mark = styled('green', '✓', process.stderr);
        line.print(`${mark} ${plainText(name)} is restored (${count - left.size} of ${count})`);
      }
      line.set(left.size ? `… restoring ${[...left].join(', ')}` : '… stopping the containers of the project');
    }
  } finally {
    line.clear();
  }
  return undo;
}
