import type { ComposeHealthcheck } from '../service.ts';
import type { MappingFields } from './fields.ts';

const kinds = ['CMD', 'CMD-SHELL', 'NONE'];

/** Reads the health check; null to keep that of the image. */
export function readHealthcheck(service: MappingFields): ComposeHealthcheck | null {
  const fields = service.inner('healthcheck');
  if (!fields) return null;
  const test = testOf(fields);
  const isDisabled = (fields.flag('disable') ?? false) || test?.[0] === 'NONE';
  return {
    isDisabled,
    test: isDisabled ? null : test,
    intervalMs: fields.duration('interval'),
    timeoutMs: fields.duration('timeout'),
    startPeriodMs: fields.duration('start_period'),
    startIntervalMs: fields.duration('start_interval'),
    retries: fields.integer('retries'),
  };
}

/** A string is a shell command; the first item of a list is its type. */
function testOf(fields: MappingFields): string[] | null {
  const node = fields.get('test');
  if (!node) return null;
  if (node.kind === 'scalar') return ['CMD-SHELL', String(node.value)];
  const words = fields.items('test').map((item) => {
    if (item.kind === 'scalar') return String(item.value ?? '');
    fields.wrong('test', 'must be a string, or a list of strings', item);
    return '';
  });
  if (!words.length) return null;
  return kinds.includes(words[0]!) ? words : fields.wrong('test', `must begin with one of ${kinds.join(', ')}`);
}
