import type { Destination } from '../../destination-queries.ts';

type Place = Omit<Destination, 'serverId'> & { serverId?: string | null };

/** The location of the archives in one line: `backups at s3.example.com, below nightly`. The server's name is a
 * separate link. */
export function destinationAddress(destination: Place): string {
  const { kind, bucket, endpoint, region, sshUser, sshHost, sshPort, pathPrefix } = destination;
  const below = pathPrefix && `below ${pathPrefix}`;
  const port = sshPort && sshPort !== 22 ? `:${sshPort}` : '';
  const where: Record<string, (string | null | false)[]> = {
    s3_compatible: [bucket, endpoint ? hostOf(endpoint) : 'Amazon S3', region],
    sftp: [`${sshUser}@${sshHost}${port}`],
    local: [endpoint],
    platform_server: [],
  };
  return [...(where[kind] ?? []), below].filter(Boolean).join(' · ');
}

const hostOf = (endpoint: string) => URL.parse(endpoint)?.host ?? endpoint;

/** How to fix each preflight failure. */
const remedies: Record<string, string> = {
  unreachable: 'Check the address and the port, and that no firewall is in between.',
  auth_failed: 'Check the user and the credentials, and enter them again.',
  permission_denied: 'Allow these credentials to list, read, write and delete there.',
  not_found: 'Check the name, and create the bucket or folder if it does not exist yet.',
  no_space: 'Free space at the destination or raise its quota.',
  timeout: 'A firewall may drop the connection. Check that this instance can reach the address.',
  misconfigured: 'Edit the destination and correct the setting.',
  corrupted: 'Do not use this destination: it does not return what was written to it.',
};

export const remedyOf = (code: string | undefined): string | undefined => code && remedies[code];
