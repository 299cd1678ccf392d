import { useQuery } from '@tanstack/react-query';
import { activeReleasesQuery, domainsQuery, recentEnvironmentsQuery } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';

export const production = 'production';

/** The active releases of a project, if the person may see them. */
function useActiveReleases(projectId: string) {
  const enabled = usePermissions()('deployment:list');
  return useQuery({ ...activeReleasesQuery(projectId), enabled }).data ?? [];
}

/** Environments with an active release, a recent deployment or a domain, plus the selected one; production first. */
export function useEnvironments(projectId: string, chosen: string): string[] {
  const enabled = usePermissions()('deployment:list');
  const active = useActiveReleases(projectId);
  const { data: recent = [] } = useQuery({ ...recentEnvironmentsQuery(projectId), enabled });
  const { data: domains = [] } = useQuery(domainsQuery(projectId));
  const others = new Set([chosen, ...recent, ...[...active, ...domains].map(({ environment }) => environment)]);
  others.delete(production);
  return [production, ...[...others].toSorted((one, other) => one.localeCompare(other))];
}

/** The services that receive requests in an environment; empty if there is only one. */
export function useServices(projectId: string, environment: string): string[] {
  const services = useActiveReleases(projectId).find((each) => each.environment === environment)?.services ?? [];
  return services.length > 1 ? services.map(({ name }) => name) : [];
}
