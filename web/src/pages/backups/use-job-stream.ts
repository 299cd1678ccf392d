import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Job } from '../../backup-queries.ts';
import { follow } from '../../live/follow.ts';

export type JobLogLine = { seq: number; line: string; level: string };
type Stream = { progress: Job['progress'] | undefined; lines: JobLogLine[]; isLost: boolean };

const none: Stream = { progress: undefined, lines: [], isLost: false };

/** Follows the stream of a backup or restore: its progress as it happens, and its log. */
export function useJobStream(path: '/api/backups' | '/api/restores', id: string): Stream {
  const queries = useQueryClient();
  const [stream, setStream] = useState(none);
  useEffect(() => {
    const leave = new AbortController();
    let isOver = false;
    setStream(none);
    follow(`${path}/${id}/stream`, {
      signal: leave.signal,
      isOver: () => isOver,
      onOpen: (isOpen) => setStream((before) => ({ ...before, isLost: !isOpen })),
      onEvent: ({ type, data }) => {
        if (type === 'progress') setStream((before) => ({ ...before, progress: data as Job['progress'] }));
        if (type === 'log') setStream((before) => ({ ...before, lines: [...before.lines, data as JobLogLine] }));
        if (type !== 'end') return;
        isOver = true;
        // A finished job changes the policy, the lists and its own page.
        void queries.invalidateQueries();
      },
      // The page's own request shows why the service refuses.
    }).catch(() => undefined);
    return () => leave.abort();
  }, [path, id, queries]);
  return stream;
}
