import { useQuery } from '@tanstack/react-query';
import { domainsQuery, releasesQuery } from '../../api.ts';
import { useMay } from '../../permissions.ts';

export const production = 'production';

/** What a project has been released to, as far as the person may see it. */
function useReleases(projectId: string) {
  const may = useMay();
  return useQuery({ ...releasesQuery(projectId), enabled: may('deployment:list') }).data ?? [];
}

/** Those that were deployed or have a name, and the one that is chosen; production comes first. */
export function useEnvironments(projectId: string, chosen: string): string[] {
  const released = useReleases(projectId);
  const { data: domains = [] } = useQuery(domainsQuery(projectId));
  const others = new Set([chosen, ...[...released, ...domains].map(({ environment }) => environment)]);
  others.delete(production);
  return [production, ...[...others].toSorted((one, other) => one.localeCompare(other))];
}

/** The services that answer in an environment; none where there is only one thing. */
export function useServices(projectId: string, environment: string): string[] {
  const released = useReleases(projectId);
  const now = released.find((each) => each.active && each.environment === environment);
  return now && now.services.length > 1 ? now.services : [];
}
