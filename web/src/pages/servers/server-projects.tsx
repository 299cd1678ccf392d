import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../api.ts';
import { toProject } from '../../paths.ts';
import type { Server } from '../../server-queries.ts';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { projectServerId } from './address.ts';

/** The projects deployed to a server. */
export function ServerProjects({ server }: { server: Server }) {
  const projects = useQuery(projectsQuery);
  return (
    <Section title="Projects">
      <Loaded query={projects} lines={1}>
        {(all) => {
          const there = all.filter(
            ({ serverId, deployTarget }) => serverId === projectServerId(server) && deployTarget !== 'cloud',
          );
          if (!there.length)
            return (
              <p className="text-sm text-muted">
                None yet. Deploy one with <code className="font-mono">mooring deploy --server</code>, choose this server
                on the page of a project, or adopt containers that run there.
              </p>
            );
          return (
            <Card className="overflow-hidden">
              <ul className="divide-y divide-line">
                {there.map(({ id, name }) => (
                  <li key={id}>
                    <Link
                      {...toProject(id)}
                      className="flex items-center justify-between gap-6 px-5 py-3 hover:bg-sunken"
                    >
                      <span className="truncate font-medium">{name}</span>
                      <Icon name="right" size={16} className="text-muted" />
                    </Link>
                  </li>
                ))}
              </ul>
            </Card>
          );
        }}
      </Loaded>
    </Section>
  );
}
