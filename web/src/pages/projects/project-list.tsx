import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../../api.ts';
import { toProject } from '../../paths.ts';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { ElsewhereBadge } from '../cloud/place-badge.tsx';

/** Every project, with where it answers. Before the first one there is nothing to say. */
export function ProjectList() {
  const projects = useQuery(projectsQuery);
  if (projects.data?.length === 0) return null;
  return (
    <Section title="Projects">
      <Loaded query={projects} lines={2}>
        {(list) => (
          <Card className="overflow-hidden">
            <ul className="divide-y divide-line">
              {list.map(({ id, name, url, deployTarget }) => (
                <li key={id}>
                  <Link
                    {...toProject(id)}
                    className="flex items-center justify-between gap-6 px-5 py-3 hover:bg-sunken"
                  >
                    <span className="min-w-0">
                      <span className="block truncate font-medium">{name}</span>
                      <span className="block truncate text-sm text-muted">{url}</span>
                    </span>
                    <span className="flex shrink-0 items-center gap-3">
                      <ElsewhereBadge target={deployTarget} />
                      <Icon name="right" size={16} className="text-muted" />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
    </Section>
  );
}
