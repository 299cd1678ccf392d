import { Here } from '../projects/here.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { VolumeSection } from './volume-section.tsx';

export function VolumesTab() {
  const project = useProject();
  return (
    <Here project={project}>
      <VolumeSection projectId={project.id} />
    </Here>
  );
}
