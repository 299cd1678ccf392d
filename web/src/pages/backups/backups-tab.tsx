import { RunsHereContent } from '../projects/runs-here-content.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { BackupHistory, RestoreHistory } from './history.tsx';
import { KeyWarning } from './keys-section.tsx';
import { PolicyList } from './policy-list.tsx';

/** The backups of one project. */
export function BackupsTab() {
  const project = useProject();
  return (
    <RunsHereContent project={project}>
      <KeyWarning />
      <PolicyList projectId={project.id} />
      <BackupHistory projectId={project.id} />
      <RestoreHistory projectId={project.id} />
    </RunsHereContent>
  );
}
