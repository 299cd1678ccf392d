import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { VolumeSection } from './volume-section.tsx';

export function VolumesTab() {
  const project = useProject();
  return (
    <RunsHereContent project={project}>
      <VolumeSection projectId={project.id} />
    </RunsHereContent>
  );
}
