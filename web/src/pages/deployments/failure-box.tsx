import { Link } from '@tanstack/react-router';
import type { Deployment } from '../../api.ts';
import { toProjectSettings } from '../../paths.ts';
import { Notice } from '../../ui/notice.tsx';
import { titleOfStep } from './build-log/step-titles.ts';

/** Why a deployment failed, was cancelled or rejected. */
export function FailureBox({ deployment: { error, status, projectId } }: { deployment: Deployment }) {
  if (!error) return null;
  const ended = status === 'cancelled' ? 'Cancelled' : 'Failed';
  const title = error.step ? `${ended} at ${titleOfStep(error.step).toLowerCase()}` : ended;
  return (
    <Notice kind={status === 'cancelled' ? 'warn' : 'danger'}>
      <p className="font-medium">{status === 'rejected' ? 'Some services failed, and it was rejected' : title}</p>
      {error.message !== 'cancelled' && <p className="whitespace-pre-wrap">{error.message}</p>}
      {error.excerpt.length > 0 && (
        <pre
          tabIndex={0}
          className="mt-2 overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5 text-ink"
        >
          {error.excerpt.join('\n')}
        </pre>
      )}
      {error.hint && status !== 'rejected' && <p className="mt-1">{error.hint}</p>}
      {error.code === 'not_trusted' && (
        <Link {...toProjectSettings(projectId)} className="mt-1 inline-block rounded font-medium underline">
          Trust in the settings of the project
        </Link>
      )}
    </Notice>
  );
}
