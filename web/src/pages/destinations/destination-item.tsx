import type { ReactNode } from 'react';
import { asSentence, sentenceOf } from '../../api.ts';
import type { Destination } from '../../destination-queries.ts';
import { useResourcePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { ServerLink } from '../servers/server-link.tsx';
import { destinationAddress } from './destination-words.ts';
import { PreflightOutcome } from './preflight-outcome.tsx';
import { useBeginPreflight, useMayTest, usePreflight } from './preflight.ts';

export type DestinationTask = { kind: 'edit' | 'delete'; destination: Destination };

type Props = { destination: Destination; kindTitle: string; onTask: (task: DestinationTask) => void };

/** One destination: its location, and whether the last preflight passed. */
export function DestinationItem({ destination, kindTitle, onTask }: Props) {
  const { id, name, serverId, isDefault, lastVerifyError } = destination;
  const preflight = usePreflight(id);
  const place = destinationAddress(destination);
  return (
    <li className="grid grid-cols-1 gap-3 px-5 py-4" aria-label={name}>
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
            {isDefault && <Badge kind="accent">Default</Badge>}
          </p>
          <p className="mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">
            {kindTitle}
            {serverId && (
              <>
                {' · '}
                <ServerLink id={serverId} />
              </>
            )}
            {place && ` · ${place}`}
          </p>
        </div>
        <Actions destination={destination} isBusy={preflight.isPending} onTask={onTask} />
      </div>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p role="status" className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1 text-sm">
          <span className="text-muted">Preflight</span>
          <LastPreflight destination={destination} isPending={preflight.isPending} />
        </p>
        <RunButton destination={destination} isBusy={preflight.isPending} />
      </div>
      {!preflight.isPending && Boolean(preflight.error) && (
        <Notice kind="danger" alert>
          {sentenceOf(preflight.error)}
        </Notice>
      )}
      {!preflight.isPending && lastVerifyError && (
        <PreflightOutcome outcome={{ ok: false, reason: asSentence(lastVerifyError), code: preflight.code }} />
      )}
    </li>
  );
}

function LastPreflight({ destination, isPending }: { destination: Destination; isPending: boolean }): ReactNode {
  const { lastVerifiedAt, lastVerifyError } = destination;
  if (isPending) return <Badge kind="accent">Running …</Badge>;
  if (!lastVerifyError && !lastVerifiedAt) return <Badge>Not run yet</Badge>;
  return (
    <>
      {lastVerifyError ? <Badge kind="danger">Failed</Badge> : <Badge kind="good">Passed</Badge>}
      {lastVerifiedAt && (
        <span className="text-muted">
          {lastVerifyError && 'last passed '}
          <Time at={lastVerifiedAt} />
        </span>
      )}
    </>
  );
}

function RunButton({ destination, isBusy }: { destination: Destination; isBusy: boolean }) {
  const mayTest = useMayTest()(destination);
  const begin = useBeginPreflight();
  if (!mayTest) return null;
  return (
    <Button size="small" disabled={isBusy} onClick={() => begin(destination.id)}>
      Run preflight<span className="sr-only"> of {destination.name}</span>
    </Button>
  );
}

type ActionProps = { destination: Destination; isBusy: boolean; onTask: (task: DestinationTask) => void };

/** The actions available to the signed-in person; renders nothing if there are none. */
function Actions({ destination, isBusy, onTask }: ActionProps) {
  const { id, name } = destination;
  const mayOn = useResourcePermissions();
  if (!mayOn('backup_destination', id, 'write')) return null;
  return (
    <MenuButton label={`Actions for ${name}`} disabled={isBusy}>
      <MenuItem onSelect={() => onTask({ kind: 'edit', destination })}>Edit</MenuItem>
      {mayOn('backup_destination', id, 'admin') && (
        <>
          <MenuLine />
          <MenuItem danger onSelect={() => onTask({ kind: 'delete', destination })}>
            Delete
          </MenuItem>
        </>
      )}
    </MenuButton>
  );
}
