import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Deployment, deploymentPagesQuery, deploymentStatuses } from '../../api.ts';
import { SelectField } from '../../forms/select-field.tsx';
import { type DeploymentsSearch, toDeploymentsOf } from '../../paths.ts';
import { Button, buttonLook } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { production, useEnvironments } from '../projects/environments.ts';
import { useProject } from '../projects/project-layout.tsx';
import { DeploymentMenu } from './deployment-menu.tsx';
import { DeploymentRows } from './deployment-rows.tsx';
import { statusTitle } from './status-badge.tsx';

/** Every deployment of a project, newest first. */
export function DeploymentsTab() {
  const { id } = useProject();
  const navigate = useNavigate();
  const search = useSearch({ from: '/signed-in/projects/$id/deployments' });
  const deployments = useInfiniteQuery(deploymentPagesQuery(id, search));
  const choose = (chosen: DeploymentsSearch) => void navigate({ ...toDeploymentsOf(id, chosen), replace: true });
  const isFiltered = Boolean(search.status ?? search.environment);
  return (
    <div className="grid grid-cols-1 gap-4">
      <Filter projectId={id} search={search} onChoose={choose} />
      <Loaded query={deployments} lines={6}>
        {({ pages }) => {
          const list = pages.flatMap(({ data }) => data);
          if (!list.length) return isFiltered ? <NoneFound onReset={() => choose({})} /> : <NothingDeployed />;
          return (
            <>
              <DeploymentRows
                deployments={list}
                actionsOf={(deployment) => (
                  <DeploymentMenu deployment={deployment} trigger={<Trigger of={deployment} />} />
                )}
              />
              {deployments.hasNextPage && (
                <Button
                  className="justify-self-center"
                  busy={deployments.isFetchingNextPage}
                  onClick={() => void deployments.fetchNextPage()}
                >
                  Show older deployments
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const Trigger = ({ of: { id, timing }, ...button }: { of: Deployment }) => (
  <button
    type="button"
    {...button}
    aria-label={`Actions for ${id}, created ${timing.createdAt}`}
    className={buttonLook({ kind: 'quiet', size: 'icon' })}
  >
    <Icon name="more" />
  </button>
);

type FilterProps = { projectId: string; search: DeploymentsSearch; onChoose: (search: DeploymentsSearch) => void };

const all = '';

function Filter({ projectId, search, onChoose }: FilterProps) {
  const environments = useEnvironments(projectId, search.environment ?? production);
  return (
    <div className="flex flex-wrap gap-3">
      <div className="w-44 max-w-full">
        <SelectField
          label="Status"
          name="status"
          options={[
            { value: all, title: 'All' },
            ...deploymentStatuses.map((each) => ({ value: each, title: statusTitle(each) })),
          ]}
          value={search.status ?? all}
          onChange={(status) => onChoose({ ...search, status: deploymentStatuses.find((each) => each === status) })}
        />
      </div>
      <div className="w-44 max-w-full">
        <SelectField
          label="Environment"
          name="environment"
          options={[{ value: all, title: 'All' }, ...environments.map((each) => ({ value: each, title: each }))]}
          value={search.environment ?? all}
          onChange={(environment) => onChoose({ ...search, environment: environment || undefined })}
        />
      </div>
    </div>
  );
}

const NoneFound = ({ onReset }: { onReset: () => void }) => (
  <EmptyState icon="project" title="No deployments match" action={<Button onClick={onReset}>Show all</Button>}>
    No deployment of this project has this status in this environment.
  </EmptyState>
);

const NothingDeployed = () => (
  <EmptyState icon="project" title="No deployments yet">
    Deploy a folder with mooring deploy, or push to the branch that the project follows.
  </EmptyState>
);
