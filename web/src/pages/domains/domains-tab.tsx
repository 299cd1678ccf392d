import { Here } from '../projects/here.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { DomainSection } from './domain-section.tsx';

export function DomainsTab() {
  const project = useProject();
  return (
    <Here project={project}>
      <DomainSection projectId={project.id} />
    </Here>
  );
}
