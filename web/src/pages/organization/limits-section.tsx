import { type Schemas, unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { client, healthQuery, deploymentPollMs } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { formatMemory } from '../../format-memory.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Meter } from '../../ui/meter.tsx';

type Limits = Schemas['OrganizationLimits'];

/** The organization's limits and usage in a cloud; a self-hosted instance has none. */
export function LimitsSection() {
  const may = usePermissions();
  const isCloud = useQuery(healthQuery).data?.mode === 'cloud';
  const isShown = isCloud && may('organization:read');
  const limits = useQuery({
    queryKey: ['limits'],
    queryFn: async () => (await unwrap(client.GET('/api/organizations/current/limits'))).data,
    refetchInterval: ({ state: { data } }) => (data?.buildsAtOnce.used ? deploymentPollMs : false),
    enabled: isShown,
  });
  if (!isShown) return null;
  return (
    <div className="sm:max-w-lg">
      <Section title="Limits">
        <Loaded query={limits} lines={4}>
          {(data) => (
            <Card className="grid gap-5 p-5">
              <Meter title="Projects" {...data.projects} />
              <Meter title="Builds at once" {...data.buildsAtOnce} note="More of them wait for their turn." />
              <Meter title="Memory" {...data.memoryMb} show={memory} note={ofOne(data.container.memoryMb, memory)} />
              <Meter title="Processors" {...data.cpus} note={ofOne(data.container.cpus, processors)} />
            </Card>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

const memory = (megabytes: number) => formatMemory(megabytes * 1_048_576);

const processors = (count: number) => (count === 1 ? '1 processor' : `${count} processors`);

/** The limits of one container. */
function ofOne({ usual, most }: Limits['container']['cpus'], show: (amount: number) => string): string | undefined {
  const gets = usual !== null && `A container gets ${show(usual)} unless its project asks for another amount`;
  if (gets) return most === null ? `${gets}.` : `${gets}, at most ${show(most)}.`;
  return most === null ? undefined : `A container gets ${show(most)} at most.`;
}
