import { posix } from 'node:path';
import type { ServiceMount } from '../../../drivers/runtime/runtime.ts';

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `/run`, `/run:size=64m,mode=1777`: a folder in memory, in the short form of a compose file. */
export function tmpfsOf(text: string): ServiceMount {
  const [target = '/', options = ''] = text.split(':');
  const given = new Map(options.split(',').map((option) => option.split('=', 2) as [string, string | undefined]));
  const [, size, unit = ''] = /^(\d{1,15})([kmg]?)b?$/i.exec(given.get('size') ?? '') ?? [];
  const mode = /^[0-7]{3,4}$/.exec(given.get('mode') ?? '')?.[0];
  return {
    type: 'tmpfs',
    target: posix.normalize(target).replace(/(.)\/+$/, '$1'),
    isReadOnly: given.has('ro'),
    sizeBytes: size === undefined ? null : Number(size) * units[unit.toLowerCase()]!,
    mode: mode === undefined ? null : Number.parseInt(mode, 8),
  };
}
