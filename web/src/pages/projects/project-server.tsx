import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { adoptionQuery, serversQuery } from '../../server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { RunsOn } from '../cloud/runs-on.tsx';
import { MoveDialog } from './move-dialog.tsx';

/** The server of a project. It can be changed while nothing is running, if there are others. */
export function ProjectServer({ project, isFixed }: { project: Project; isFixed: boolean }) {
  const may = usePermissions();
  const [isMoving, setIsMoving] = useState(false);
  const isMadeOfServices = project.source.type === 'services';
  const adoption = useQuery({ ...adoptionQuery(project.id), enabled: isMadeOfServices });
  // An adopted project stays on its server.
  const isBound = (isMadeOfServices && adoption.data !== null) || project.deployTarget === 'cloud';
  const mayMove = !isFixed && !isBound && may('project:write') && may('server:write');
  const servers = useQuery({ ...serversQuery, enabled: mayMove });
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <RunsOn target={project.deployTarget} serverId={project.serverId} />
      {mayMove && servers.data?.some(({ kind }) => kind === 'ssh') && (
        <Button size="small" onClick={() => setIsMoving(true)}>
          Change<span className="sr-only"> where it runs</span>
        </Button>
      )}
      {isMoving && <MoveDialog project={project} onClose={() => setIsMoving(false)} />}
    </span>
  );
}
