import type { CloudAddress } from '../../../drivers/cloud/cloud-client.ts';

/** A cloud with token, and the organization that the token acts for; null if unknown. */
export type LinkedCloud = CloudAddress & { organizationId: string | null };

export type CloudLocation = Pick<LinkedCloud, 'url' | 'organizationId'>;

/** Location as stored with a project. */
export const cloudLocationText = ({ url, organizationId }: CloudLocation): string =>
  organizationId === null ? url : `${url} ${organizationId}`;

export function cloudLocationIn(at: string): CloudLocation {
  const [url = '', organizationId = null] = at.split(' ');
  return { url, organizationId };
}

/** An unknown organization matches any. */
export function isSameCloudLocation(a: CloudLocation, b: CloudLocation): boolean {
  const isBothKnown = a.organizationId !== null && b.organizationId !== null;
  return a.url === b.url && (!isBothKnown || a.organizationId === b.organizationId);
}
