import { unwrap } from '@mooring/client';
import { client, type Deployment, sentenceOf, useChange } from '../../api.ts';
import { useMay } from '../../permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';

type Decision = 'keep' | 'reject';

/** Whether it came out half, and somebody has to say what becomes of it. */
export const isPending = ({ status, decision }: Deployment): boolean =>
  status === 'partial_failure' && decision === 'pending';

const choices: { decision: Decision; title: string; means: string; done: string }[] = [
  {
    decision: 'keep',
    title: 'Keep',
    means: 'What works becomes the release, and the services that failed go on as they were before.',
    done: 'The deployment is kept',
  },
  {
    decision: 'reject',
    title: 'Reject',
    means: 'Every service that was changed goes back to what ran before.',
    done: 'The deployment is rejected',
  },
];

/** Some services are new and some could not be: which of both it is to be. */
export function DecisionBox({ deployment: { id, error } }: { deployment: Deployment }) {
  const may = useMay();
  const toast = useToast();
  const decide = useChange((decision: Decision) => {
    const path = { params: { path: { id } } };
    return decision === 'keep'
      ? unwrap(client.POST('/api/deployments/{id}/keep', path))
      : unwrap(client.POST('/api/deployments/{id}/reject', path));
  });
  const choose = ({ decision, done }: (typeof choices)[number]) =>
    decide.mutate(decision, { onSuccess: () => toast(done) });
  return (
    <section aria-labelledby="decision" className="rounded-xl border border-warn bg-warn-soft p-5">
      <h2 id="decision" className="flex items-center gap-2 font-semibold text-warn">
        <Icon name="warning" /> Action required
      </h2>
      <p className="mt-2 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{error?.message}</p>
      <p className="mt-2 text-sm">Until somebody decides, nothing else of this project is deployed.</p>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2">
        {choices.map((choice) => (
          <li key={choice.decision} className="flex flex-col items-start gap-3 rounded-lg bg-surface p-4">
            <p className="flex-1 text-sm">
              <span className="font-medium">{choice.title}.</span> {choice.means}
            </p>
            {may('deployment:write') && (
              <Button
                kind={choice.decision === 'keep' ? 'primary' : 'danger'}
                busy={decide.isPending && decide.variables === choice.decision}
                disabled={decide.isPending}
                onClick={() => choose(choice)}
              >
                {choice.title}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {!may('deployment:write') && <p className="mt-3 text-sm">You may look, and somebody who may write decides.</p>}
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
