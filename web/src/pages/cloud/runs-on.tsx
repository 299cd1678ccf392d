import { useQuery } from '@tanstack/react-query';
import { cloudLinkQuery, useIsSelfHosted } from '../../cloud-queries.ts';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { ServerLink } from '../servers/server-link.tsx';

/** The server that something runs on, or the cloud that hosts it. */
export function RunsOn({ target, serverId }: { target: string; serverId: string | null }) {
  const isInCloud = useIsSelfHosted() && target === 'cloud';
  const link = useQuery({ ...cloudLinkQuery, enabled: isInCloud });
  if (!isInCloud) return <ServerLink id={serverId} />;
  const url = link.data?.url;
  return (
    <span>
      The hosted cloud
      {url && (
        <>
          , <OutsideLink url={url} />
        </>
      )}
    </span>
  );
}
