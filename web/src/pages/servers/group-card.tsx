import type { FoundService, Stack } from '../../server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { FoundItem } from './found-item.tsx';
import { useMayAdopt } from './may-adopt.ts';

type Group = Stack['groups'][number];

/** The tools that manage the services of a group. */
export const managers: Record<Group['source'], string> = {
  compose: 'Docker Compose',
  swarm: 'Docker Swarm',
  coolify: 'Coolify',
  dokploy: 'Dokploy',
  caprover: 'CapRover',
  portainer: 'Portainer',
  dokku: 'Dokku',
  mooring: 'Mooring',
  hand: 'By hand',
};

type Props = {
  title: string;
  /** The tool that manages it, if known. */
  manager?: string;
  files?: Group['composeFiles'];
  services: FoundService[];
  chosen: string[];
  /** Undefined for people with read access only. */
  onChoose: ((names: string[], on: boolean) => void) | undefined;
};

/** A group of services on a server: a compose project, the services of another platform, or single containers. */
export function GroupCard({ title, manager, files = [], services, chosen, onChoose }: Props) {
  const mayTake = useMayAdopt();
  const takable = services.filter(mayTake).map(({ name }) => name);
  const isAll = takable.length > 0 && takable.every((name) => chosen.includes(name));
  return (
    <Card>
      <section aria-label={title}>
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-3.5">
          <h3 className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1 font-medium">
            <span className="min-w-0 [overflow-wrap:anywhere]">{title}</span>
            {manager && <Badge>{manager}</Badge>}
          </h3>
          {onChoose && takable.length > 1 && (
            <Button size="small" onClick={() => onChoose(takable, !isAll)}>
              {isAll ? 'Select none' : `Select all ${takable.length}`}
              <span className="sr-only"> of {title}</span>
            </Button>
          )}
        </div>
        <ComposeFiles files={files} />
        <ul className="divide-y divide-line border-t border-line">
          {services.map((service) => (
            <FoundItem
              key={service.containerId}
              service={service}
              isChosen={chosen.includes(service.name)}
              onChoose={onChoose && ((on) => onChoose([service.name], on))}
            />
          ))}
        </ul>
      </section>
    </Card>
  );
}

const sayOf = ({ found, matches, problem }: Group['composeFiles'][number]): string =>
  problem ?? (found ? (matches ? 'matches the containers' : 'does not match the containers') : 'not found');

function ComposeFiles({ files }: { files: Group['composeFiles'] }) {
  if (!files.length) return null;
  return (
    <ul aria-label="Compose files" className="px-5 pb-3.5 text-sm text-muted">
      {files.map((file) => (
        <li key={file.path} className="[overflow-wrap:anywhere]">
          <code className="font-mono text-[0.8125rem] text-ink">{file.path}</code>: {sayOf(file)}
        </li>
      ))}
    </ul>
  );
}
