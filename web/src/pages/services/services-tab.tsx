import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { ServiceSection } from './service-section.tsx';

export function ServicesTab() {
  const project = useProject();
  return (
    <RunsHereContent project={project}>
      <ServiceSection project={project} />
    </RunsHereContent>
  );
}
