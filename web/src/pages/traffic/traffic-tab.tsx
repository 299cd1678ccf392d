import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { TrafficSection } from './traffic-section.tsx';

export function TrafficTab() {
  const project = useProject();
  return (
    <RunsHereContent project={project}>
      <TrafficSection projectId={project.id} />
    </RunsHereContent>
  );
}
