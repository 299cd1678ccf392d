import { useQuery } from '@tanstack/react-query';
import { domainsQuery, releasesQuery } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';

export const production = 'production';

/** The releases of a project that the person may see. */
function useReleases(projectId: string) {
  const may = usePermissions();
  return useQuery({ ...releasesQuery(projectId), enabled: may('deployment:list') }).data ?? [];
}

/** Environments with a deployment or a domain, plus the selected one; production comes first. */
export function useEnvironments(projectId: string, chosen: string): string[] {
  const released = useReleases(projectId);
  const { data: domains = [] } = useQuery(domainsQuery(projectId));
  const others = new Set([chosen, ...[...released, ...domains].map(({ environment }) => environment)]);
  others.delete(production);
  return [production, ...[...others].toSorted((one, other) => one.localeCompare(other))];
}

/** The services that receive requests in an environment; empty if there is only one. */
export function useServices(projectId: string, environment: string): string[] {
  const released = useReleases(projectId);
  const now = released.find((each) => each.active && each.environment === environment);
  return now && now.services.length > 1 ? now.services : [];
}
