import type { CloudAddress } from '../../../drivers/cloud/cloud-client.ts';

/** A cloud with what lets us in, and the organization there that the token acts for: null where nobody has written that down. */
export type LinkedCloud = CloudAddress & { organizationId: string | null };

export type CloudLocation = Pick<LinkedCloud, 'url' | 'organizationId'>;

/** As it is kept with a project: where it was taken. */
export const cloudLocationText = ({ url, organizationId }: CloudLocation): string =>
  organizationId === null ? url : `${url} ${organizationId}`;

export function cloudLocationIn(at: string): CloudLocation {
  const [url = '', organizationId = null] = at.split(' ');
  return { url, organizationId };
}

/** What is not known of one of them is no difference. */
export function isSameCloudLocation(a: CloudLocation, b: CloudLocation): boolean {
  const isBothKnown = a.organizationId !== null && b.organizationId !== null;
  return a.url === b.url && (!isBothKnown || a.organizationId === b.organizationId);
}
