import { Here } from '../projects/here.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { ServiceSection } from './service-section.tsx';

export function ServicesTab() {
  const project = useProject();
  return (
    <Here project={project}>
      <ServiceSection project={project} />
    </Here>
  );
}
