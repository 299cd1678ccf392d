import { useMe } from '../../api.ts';
import type { FoundService } from '../../server-queries.ts';

/** Whether the signed-in person may adopt a service: only the owner of the instance may adopt those with access to
 * the host. */
export function useMayTake(): (service: FoundService) => boolean {
  const { isInstanceOwner } = useMe().user;
  return ({ adoptable, needsTrust }) => adoptable && (isInstanceOwner || !needsTrust.length);
}
