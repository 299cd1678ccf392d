import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toServer } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { serversQuery } from '../../server-queries.ts';

/** A link to a server, by name if it is known. Null is the machine that Mooring runs on. */
export function ServerLink({ id }: { id: string | null }) {
  const may = usePermissions();
  const servers = useQuery({ ...serversQuery, enabled: id !== null && may('server:list') });
  if (id === null) return <>This machine</>;
  const name = servers.data?.find((each) => each.id === id)?.name ?? id;
  if (!may('server:read')) return <>{name}</>;
  return (
    <Link {...toServer(id)} className="rounded text-accent hover:underline">
      {name}
    </Link>
  );
}
