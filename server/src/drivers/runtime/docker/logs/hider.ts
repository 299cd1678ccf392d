import { redactor } from '../../../../lib/redact.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { secretsLabel } from '../labels.ts';

/** Hides a container's secrets in what it says. The engine knows their values, a label tells which variables they are: so
 * the next service hides them too, and they are written down nowhere else. */
export function hiderOf({ Config: { Labels, Env } }: ContainerInfo): (line: string) => string {
  const names = new Set(JSON.parse(Labels?.[secretsLabel] ?? '[]') as string[]);
  const values = (Env ?? []).flatMap((pair) => {
    const end = pair.indexOf('=');
    return names.has(pair.slice(0, end)) ? pair.slice(end + 1) : [];
  });
  return redactor(values);
}
