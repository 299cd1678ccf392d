import { Here } from '../projects/here.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { TrafficSection } from './traffic-section.tsx';

export function TrafficTab() {
  const project = useProject();
  return (
    <Here project={project}>
      <TrafficSection projectId={project.id} />
    </Here>
  );
}
