import { useMe } from '../../api.ts';
import type { FoundService } from '../../server-queries.ts';

/** Whether the signed-in person may take a service over: what reaches the machine is for the owner of the instance. */
export function useMayTake(): (service: FoundService) => boolean {
  const { isInstanceOwner } = useMe().user;
  return ({ adoptable, needsTrust }) => adoptable && (isInstanceOwner || !needsTrust.length);
}
