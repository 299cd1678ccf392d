import { ApiError } from '@mooring/client';
import type { ReactNode } from 'react';
import { sentenceOf } from '../api.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

const looks = {
  plain: { box: 'bg-accent-soft text-ink', icon: 'book' },
  good: { box: 'bg-good-soft text-good', icon: 'check' },
  warn: { box: 'bg-warn-soft text-warn', icon: 'warning' },
  danger: { box: 'bg-danger-soft text-danger', icon: 'warning' },
} satisfies Record<string, { box: string; icon: IconName }>;

type Props = { kind?: keyof typeof looks; children: ReactNode; alert?: boolean };

/** A coloured box. `alert` makes screen readers announce it when it appears. */
export function Notice({ kind = 'plain', children, alert }: Props) {
  const { box, icon } = looks[kind];
  return (
    <div role={alert ? 'alert' : undefined} className={`flex gap-2.5 rounded-lg px-3.5 py-2.5 text-sm ${box}`}>
      <Icon name={icon} className="mt-px" />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</div>
    </div>
  );
}

/** A loading error with a retry button. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <Notice kind="danger" alert>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span>
          {sentenceOf(error)}
          <RequestId of={error} />
        </span>
        <Button size="small" onClick={retry} className="text-ink">
          Try again
        </Button>
      </div>
    </Notice>
  );
}

/** The id to search for in the service's log after an internal error. */
export function RequestId({ of: error }: { of: unknown }) {
  if (!(error instanceof ApiError) || error.status < 500 || !error.requestId) return null;
  return <span className="mt-0.5 block text-xs">Request {error.requestId}</span>;
}
