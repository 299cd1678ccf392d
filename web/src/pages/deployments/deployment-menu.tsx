import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { type Deployment, projectQuery, stepsQuery, useChange } from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { toDeployment } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { containersQuery } from '../../service-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { NameToConfirm } from '../volumes/removal.tsx';
import { type ActionName, actionsFor, type DeploymentAction } from './deployment-actions.ts';
import { Mono } from './mono.tsx';
import { runAction } from './run-action.ts';

/** Returns the actions on a deployment that are available to the signed-in person. */
export function useDeploymentActions(deployment: Deployment): DeploymentAction[] {
  const may = usePermissions();
  const isSelfHosted = useIsSelfHosted();
  const { id, projectId, active, status, deployTarget } = deployment;
  const mayRun = active || status === 'partial_failure';
  const containers = useQuery({ ...containersQuery(id), enabled: mayRun && may('deployment:read') });
  const project = useQuery({ ...projectQuery(projectId), enabled: may('project:read') });
  return actionsFor(deployment, {
    may,
    isRunning: containers.data?.some(({ state }) => state === 'running' || state === 'restarting') ?? false,
    isLeftBehind: isSelfHosted && project.data?.deployTarget === 'cloud' && deployTarget !== 'cloud',
  });
}

type MenuProps = {
  deployment: Deployment;
  /** The button that opens the menu. */
  trigger: ReactElement;
  /** Actions that have their own button. */
  without?: readonly ActionName[];
  onDeleted?: () => void;
};

/** The actions on a deployment with their descriptions. Renders nothing if there are none. */
export function DeploymentMenu({ deployment, trigger, without = [], onDeleted }: MenuProps) {
  const actions = useDeploymentActions(deployment).filter(({ name }) => !without.includes(name));
  const { begin, dialog } = useAction(deployment, onDeleted);
  if (!actions.length) return null;
  return (
    <>
      <Menu trigger={trigger}>
        {actions.map((action) => (
          <div key={action.name}>
            {action.name === 'delete' && actions.length > 1 && <MenuLine />}
            <MenuItem danger={action.isDanger} hint={action.means} onSelect={() => begin(action)}>
              {action.label}
            </MenuItem>
          </div>
        ))}
      </Menu>
      {dialog}
    </>
  );
}

/** An action as a separate button. */
export function ActionButton({ deployment, name }: { deployment: Deployment; name: ActionName }) {
  const action = useDeploymentActions(deployment).find((each) => each.name === name);
  const { begin, dialog } = useAction(deployment);
  return (
    <>
      {action && (
        <Button title={action.means} onClick={() => begin(action)}>
          {action.label}
        </Button>
      )}
      {dialog}
    </>
  );
}

/** Runs an action, after a confirmation if it needs one. */
function useAction(deployment: Deployment, onDeleted?: () => void) {
  const toast = useToast();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<DeploymentAction>();
  const change = useChange(async (action: DeploymentAction) => {
    const { sentence, deploymentId } = await runAction(action.name, deployment);
    setAsked(undefined);
    toast(sentence);
    if (action.name === 'delete') onDeleted?.();
    if (deploymentId && deploymentId !== deployment.id) await navigate(toDeployment(deploymentId));
  });
  const begin = (action: DeploymentAction) => {
    change.reset();
    if (action.question) setAsked(action);
    // The dialog shows the failure and offers a retry.
    else
      change.mutate(action, { onError: () => setAsked({ ...action, question: `${action.label} this deployment?` }) });
  };
  const close = () => setAsked(undefined);
  const dialog = asked?.question && (
    <ActionDialog {...{ deployment, change }} action={asked} onConfirm={() => change.mutate(asked)} onClose={close} />
  );
  return { begin, dialog };
}

type DialogProps = {
  deployment: Deployment;
  action: DeploymentAction;
  change: { error: unknown; isPending: boolean };
  onConfirm: () => void;
  onClose: () => void;
};

/** Renders nothing if no release command ran since the release. */
function NotRolledBack({ deployment }: { deployment: Deployment }) {
  // Another release may have become active since the page was loaded.
  const { data } = useQuery({ ...stepsQuery(deployment.id), refetchOnMount: 'always' });
  const commands = data?.releaseCommandsSince ?? [];
  if (!commands.length) return null;
  return (
    <Notice kind="warn">
      The database and volumes are not rolled back: <Mono>{commands.join(' and ')}</Mono> ran since this release.
    </Notice>
  );
}

function ActionDialog({ deployment, action, change, onConfirm, onClose }: DialogProps) {
  const [typed, setTyped] = useState('');
  const { question = '', label, means, isDanger, isTyped } = action;
  const { environment } = deployment;
  return (
    <ConfirmDialog
      title={question}
      confirm={label}
      dismiss={action.dismiss}
      kind={isDanger ? 'danger' : 'primary'}
      isReady={!isTyped || typed === environment}
      details={
        isTyped ? (
          <NameToConfirm name={environment} value={typed} onChange={setTyped} />
        ) : (
          action.name === 'rollback' && <NotRolledBack deployment={deployment} />
        )
      }
      {...{ change, onConfirm, onClose }}
    >
      {means}
    </ConfirmDialog>
  );
}
