import { type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';

type Limits = Schemas['OrganizationLimits'];
type Counted = Limits['cpus'];

export const limits = defineCommand({
  name: 'limits',
  summary: 'Show limits and usage of the organization',
  async run({ out, instance }) {
    const found = await limitsAt(signedInClient(instance()));
    if (!found) return out.print(null, () => 'This instance has no limits for organizations.');
    const rows: [what: string, counted: Counted, unit: string][] = [
      ['projects', found.projects, ''],
      ['builds at once', found.buildsAtOnce, ''],
      ['memory', found.memoryMb, ' MB'],
      ['processors', found.cpus, ''],
    ];
    if (out.json) return out.print(found, () => '');
    out.list(rows, [
      { heading: 'WHAT', value: ([what]) => what },
      { heading: 'USED', value: ([, { used }, unit]) => `${used}${unit}` },
      { heading: 'LIMIT', value: ([, { limit }, unit]) => (limit === null ? 'none' : `${limit}${unit}`) },
    ]);
  },
});

/** Undefined if the instance has no limits (self-hosted). */
async function limitsAt(client: ReturnType<typeof signedInClient>): Promise<Limits | undefined> {
  const { mode } = await unwrap(client.GET('/api/health'));
  return mode === 'cloud' ? (await unwrap(client.GET('/api/organizations/current/limits'))).data : undefined;
}
