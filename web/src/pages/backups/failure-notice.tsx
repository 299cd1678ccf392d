import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asSentence } from '../../api.ts';
import type { Job } from '../../backup-queries.ts';
import { toDestinations } from '../../paths.ts';
import { Notice } from '../../ui/notice.tsx';

type Props = { error: NonNullable<Job['error']>; alert?: boolean; children?: ReactNode };

/** Why a backup or restore failed, and what to do. */
export function FailureNotice({ error: { code, message, hint }, alert = false, children }: Props) {
  return (
    <Notice kind="danger" alert={alert}>
      <p className="text-ink">{asSentence(message)}</p>
      {hint && (
        <p className="mt-1 text-ink">
          <span className="font-medium">What to do:</span> {asSentence(hint)}
        </p>
      )}
      <p className="mt-1 flex flex-wrap gap-x-4">
        {code === 'destination_failed' && (
          <Link {...toDestinations()} className="underline">
            Open the destinations
          </Link>
        )}
        {children}
      </p>
    </Notice>
  );
}
