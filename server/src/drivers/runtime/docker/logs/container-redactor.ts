import { redactor } from '../../../../lib/redact.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { secretsLabel } from '../labels.ts';

/** Returns a redactor of a container's secrets. The engine has their values and a label their names, so a restarted
 * service redacts them too, and they are stored nowhere else. */
export function containerRedactor({
  Config: { Labels, Env },
}: {
  Config: Pick<ContainerInfo['Config'], 'Labels' | 'Env'>;
}): (line: string) => string {
  const names = new Set(JSON.parse(Labels?.[secretsLabel] ?? '[]') as string[]);
  const values = (Env ?? []).flatMap((pair) => {
    const end = pair.indexOf('=');
    return names.has(pair.slice(0, end)) ? pair.slice(end + 1) : [];
  });
  return redactor(values);
}
