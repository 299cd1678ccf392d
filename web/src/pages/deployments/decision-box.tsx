import { useState } from 'react';
import { type Deployment, sentenceOf, useChange } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import type { DeploymentAction } from './deployment-actions.ts';
import { useDeploymentActions } from './deployment-menu.tsx';
import { runAction } from './run-action.ts';

/** Some services succeeded and others failed: the person keeps or rejects the release. */
export function DecisionBox({ deployment }: { deployment: Deployment }) {
  const toast = useToast();
  const choices = useDeploymentActions(deployment).filter(({ name }) => name === 'keep' || name === 'reject');
  const [chosen, setChosen] = useState<string>();
  const decide = useChange(async (action: DeploymentAction) =>
    toast((await runAction(action.name, deployment)).sentence),
  );
  const choose = (action: DeploymentAction) => {
    setChosen(action.name);
    decide.mutate(action);
  };
  return (
    <section aria-labelledby="decision" className="rounded-xl border border-warn bg-warn-soft p-5">
      <h2 id="decision" className="flex items-center gap-2 font-semibold text-warn">
        <Icon name="warning" /> Action required
      </h2>
      <p className="mt-2 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{deployment.error?.message}</p>
      <p className="mt-2 text-sm">No other deployment of this environment starts until you keep or reject this one.</p>
      {choices.length > 0 ? (
        <ul className="mt-4 grid gap-3 sm:grid-cols-2">
          {choices.map((action) => (
            <li key={action.name} className="flex flex-col items-start gap-3 rounded-lg bg-surface p-4">
              <p className="flex-1 text-sm">
                <span className="font-medium">{action.label}.</span> {action.means}
              </p>
              <Button
                kind={action.isDanger ? 'danger' : 'primary'}
                busy={decide.isPending && chosen === action.name}
                disabled={decide.isPending}
                onClick={() => choose(action)}
              >
                {action.label}
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mt-3 text-sm">Someone with write access to deployments has to decide.</p>
      )}
      {decide.error && (
        <div className="mt-3">
          <Notice kind="danger" alert>
            {sentenceOf(decide.error)}
          </Notice>
        </div>
      )}
    </section>
  );
}
