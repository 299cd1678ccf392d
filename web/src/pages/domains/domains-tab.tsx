import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { DomainSection } from './domain-section.tsx';

export function DomainsTab() {
  const project = useProject();
  return (
    <RunsHereContent project={project}>
      <DomainSection projectId={project.id} />
    </RunsHereContent>
  );
}
