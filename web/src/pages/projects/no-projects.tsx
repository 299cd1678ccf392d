import type { ReactNode } from 'react';
import { useSession } from '../../api.ts';
import { useIsRestricted } from '../../permissions.ts';
import { EmptyState } from '../../ui/empty-state.tsx';

/** A restricted member may see none although there are some. */
export function NoProjects({ action }: { action?: ReactNode }) {
  const { organization } = useSession();
  return useIsRestricted() ? (
    <EmptyState icon="project" title="You have no access to a project yet">
      Ask an owner or an admin of {organization?.name} to grant you a project on the page Members.
    </EmptyState>
  ) : (
    <EmptyState icon="project" title="No projects yet" action={action}>
      A project is an app with its deployments, variables, domains and volumes.
    </EmptyState>
  );
}
