import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toServer, toServers } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { serversQuery } from '../../server-queries.ts';
import { buttonLook } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Card } from '../../ui/page.tsx';

/** Selects the server to scan for containers to adopt. */
export function ServerSource() {
  const may = usePermissions();
  const servers = useQuery(serversQuery);
  const add = may('server:write') && (
    <Link {...toServers({ add: true })} className={buttonLook({ kind: 'primary' })}>
      Add a server
    </Link>
  );
  return (
    <Loaded query={servers}>
      {(list) =>
        list.length ? (
          <div className="grid grid-cols-1 gap-4">
            <p className="text-muted">
              Choose the server. Mooring lists the containers on it, and adopts those that you choose without stopping
              them.
            </p>
            <Card className="overflow-hidden">
              <ul className="divide-y divide-line">
                {list.map(({ id, name }) => (
                  <li key={id}>
                    <Link
                      {...toServer(id)}
                      className="flex items-center justify-between gap-4 px-5 py-3 font-medium hover:bg-sunken"
                    >
                      {name}
                      <Icon name="right" size={16} className="text-muted" />
                    </Link>
                  </li>
                ))}
              </ul>
            </Card>
            <div>{add}</div>
          </div>
        ) : (
          <EmptyState icon="server" title="No servers yet" action={add}>
            Add the server by its address and an SSH key. Mooring then lists what runs on it.
          </EmptyState>
        )
      }
    </Loaded>
  );
}
