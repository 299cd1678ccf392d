type Container = { state: string; restarts: number; startedAt: string | null };

const manyRestarts = 3;
const recentMs = 60_000;

/** Whether a container has crashed several times, the last time a moment ago. A restart on request does not count. */
export const keepsCrashing = ({ state, restarts, startedAt }: Container, now = Date.now()): boolean =>
  restarts >= manyRestarts &&
  (state === 'restarting' || (startedAt !== null && now - Date.parse(startedAt) < recentMs));
