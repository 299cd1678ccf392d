import { Page } from '../../ui/page.tsx';
import { ProjectList } from './project-list.tsx';

export function ProjectsPage() {
  return (
    <Page title="Projects">
      <ProjectList />
    </Page>
  );
}
