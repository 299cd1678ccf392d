import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, shortTime } from '../../output.ts';
import { wholeNumber } from '../../whole-number.ts';

type Entry = Schemas['AuditEntry'];

const columns: Column<Entry>[] = [
  { heading: 'AT', value: ({ at }) => shortTime(at) },
  { heading: 'WHO', value: ({ actor }) => actor.name },
  { heading: 'FROM', value: ({ ip }) => ip },
  { heading: 'ACTION', value: ({ action }) => action },
  { heading: 'WHAT', value: ({ target }) => target?.name ?? target?.id ?? '' },
];

const largestPage = 100;

export const audit = defineCommand({
  name: 'audit',
  summary: 'Show the audit log, newest first',
  options: {
    action: { type: 'string', value: '<action>', help: 'only this action (token.created) or noun (token.)' },
    limit: { type: 'string', value: '<n>', help: 'number of entries; default 50' },
  },
  async run({ values, out, instance }) {
    const limit = wholeNumber('limit', values.limit) ?? 50;
    out.list(await newest(signedInClient(instance()), limit, values.action), columns);
  },
});

/** Fetches the newest entries page by page. */
async function newest(client: Client, count: number, action: string | undefined): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: Math.min(largestPage, count - entries.length), action, cursor };
    const { data, nextCursor } = await unwrap(client.GET('/api/audit', { params: { query } }));
    entries.push(...data);
    cursor = nextCursor ?? undefined;
  } while (cursor && entries.length < count);
  return entries;
}
