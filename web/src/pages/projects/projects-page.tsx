import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { projectsQuery } from '../../api.ts';
import { toProjects } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { NewButton } from '../overview/overview-page.tsx';
import { NoProjects } from './no-projects.tsx';
import { ProjectCards, sourceWords } from './project-cards.tsx';

/** All projects, with a search over names, addresses and sources. */
export function ProjectsPage() {
  const may = usePermissions();
  const navigate = useNavigate();
  const { search = '' } = useSearch({ from: '/signed-in/projects' });
  const projects = useQuery(projectsQuery);
  const button = may('project:write') && may('deployment:write') && <NewButton />;
  return (
    <Page title="Projects" action={projects.data?.length ? button : undefined}>
      <Loaded query={projects} lines={6}>
        {(list) => {
          if (!list.length) return <NoProjects action={button} />;
          const words = search.toLowerCase();
          const shown = list.filter((project) =>
            [project.name, project.slug, project.url, sourceWords(project)].some((text) =>
              text.toLowerCase().includes(words),
            ),
          );
          return (
            <div className="grid grid-cols-1 gap-5">
              <input
                type="search"
                aria-label="Search projects"
                placeholder="Search projects"
                value={search}
                onChange={(event) =>
                  void navigate({ ...toProjects(event.target.value), replace: true, resetScroll: false })
                }
                className="control max-w-sm"
              />
              {shown.length ? (
                <ProjectCards projects={shown} />
              ) : (
                <p className="text-muted">No project matches “{search}”.</p>
              )}
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}
