import { useSession } from '../../api.ts';
import type { FoundService } from '../../server-queries.ts';

/** Whether the signed-in person may adopt a service: only the owner of the instance may adopt those with access to
 * the host. */
export function useMayAdopt(): (service: FoundService) => boolean {
  const { isInstanceOwner } = useSession().user;
  return ({ adoptable, needsTrust }) => adoptable && (isInstanceOwner || !needsTrust.length);
}
