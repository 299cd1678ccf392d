import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { deploymentPagesQuery } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { useProject } from '../projects/project-layout.tsx';
import { DeploymentRows } from './deployment-rows.tsx';

/** Every deployment of a project, newest first. */
export function DeploymentsTab() {
  const { id } = useProject();
  const search = useSearch({ from: '/signed-in/projects/$id/deployments' });
  const deployments = useInfiniteQuery(deploymentPagesQuery(id, search));
  return (
    <Loaded query={deployments} lines={6}>
      {({ pages }) => {
        const list = pages.flatMap(({ data }) => data);
        if (!list.length)
          return (
            <EmptyState icon="project" title="No deployments">
              Nothing is deployed yet.
            </EmptyState>
          );
        return (
          <div className="grid grid-cols-1 gap-4">
            <DeploymentRows deployments={list} titleOf={({ active, id }) => (active ? 'Serves now' : id)} />
            {deployments.hasNextPage && (
              <Button
                className="justify-self-center"
                busy={deployments.isFetchingNextPage}
                onClick={() => void deployments.fetchNextPage()}
              >
                Show older ones
              </Button>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
