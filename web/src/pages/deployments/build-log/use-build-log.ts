import { useEffect, useState, useSyncExternalStore } from 'react';
import { follow } from '../../../live/follow.ts';
import { BuildLog } from './build-log.ts';

export type Connection = 'connecting' | 'open' | 'lost' | 'over';

/** Follows the stream of a deployment to its end, across lost connections and restarts of the service. */
export function useBuildLog(id: string) {
  const [log] = useState(() => new BuildLog());
  const [connection, setConnection] = useState<Connection>('connecting');
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const version = useSyncExternalStore(log.subscribe, log.version);
  useEffect(() => {
    const leave = new AbortController();
    follow(`/api/deployments/${id}/stream?since=${log.lastSeq}`, {
      signal: leave.signal,
      onEvent: (event) => log.add(event),
      onOpen: (isOpen) => setConnection(isOpen ? 'open' : 'lost'),
      isOver: () => log.isOver,
    }).then(() => leave.signal.aborted || setConnection('over'), setError);
    return () => leave.abort();
  }, [id, log, tries]);
  const retry = () => {
    setError(undefined);
    setTries(tries + 1);
  };
  return { log, version, connection, error, retry };
}
