import type { ProcessIsolation } from './isolation.ts';

/** Returns a warning for the operator about the isolation of apps and builds; undefined where they are isolated. */
export function isolationNotice(isolation: ProcessIsolation, dataDir: string): string | undefined {
  if (isolation.kind === 'refused')
    return (
      `Apps and builds cannot run: Mooring runs as root and never runs apps as root, but ${isolation.reason}.\n` +
      `If that is the data folder, move it:\n  npm run stop; mv ${dataDir} /var/lib/mooring; npm start`
    );
  if (isolation.kind !== 'none') return undefined;
  if (isolation.reason === null)
    return (
      'MOORING_PROCESS_ISOLATION=none: apps and builds run with the rights of Mooring. Everyone who can deploy can read its key ' +
      'and the secrets of every project.'
    );
  return (
    `Apps and builds cannot be confined on this machine (${isolation.reason}). They run with the rights of Mooring, so ` +
    'only owners and admins of the first organization may deploy. Enable unprivileged user namespaces, install a container ' +
    'engine, or set MOORING_PROCESS_ISOLATION=none to let every member deploy. See "Users and isolation" in docs/operations/security.md.'
  );
}
