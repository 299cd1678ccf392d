import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { serverKinds, serverRuntimes, type ServerTable } from '../../../db/tables/servers.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { fingerprintOf } from '../../../lib/ssh-key.ts';
import { ServerCheck } from '../check/outcome.ts';
import { type ServerFields, serverFields, givenSshFields, ServerKind, ServerName } from './fields.ts';

export const ServerBody = z
  .object({ kind: ServerKind.default('ssh'), name: ServerName, ...z.object(serverFields).partial().shape })
  .superRefine((body, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: body });
    if (body.kind === 'this_machine') {
      for (const field of givenSshFields(body)) complain(field, 'does not apply to this machine');
      return;
    }
    for (const field of ['host', 'user'] as const) if (body[field] === undefined) complain(field, 'is required');
    if (!body.password && !body.privateKey && !body.generateKey)
      complain('password', 'is required, or a privateKey, or generateKey');
    checkKeyFields(body, complain);
    if (body.passphrase && !body.privateKey) complain('passphrase', 'needs a privateKey');
  });
export type ServerBody = z.output<typeof ServerBody>;

export const ServerChange = z
  .object({
    kind: ServerKind,
    name: ServerName,
    ...serverFields,
    hostKey: z.string().max(10_000).nullable().describe('null removes it.'),
  })
  .partial()
  .superRefine((body, context) =>
    checkKeyFields(body, (field, message) => context.addIssue({ code: 'custom', path: [field], message, input: body })),
  );
export type ServerChange = z.output<typeof ServerChange>;

function checkKeyFields(body: ServerFields, complain: (field: string, message: string) => void): void {
  if (!body.generateKey) return;
  for (const field of ['privateKey', 'passphrase'] as const)
    if (body[field]) complain(field, 'cannot be given together with generateKey');
}

export const Server = z
  .object({
    id: z.string(),
    kind: z.enum(serverKinds),
    name: z.string(),
    host: z.string().nullable(),
    port: z.number().nullable(),
    user: z.string().nullable(),
    publicKey: z.string().nullable().describe('Public key: the line for `authorized_keys`.'),
    hasPassword: z.boolean(),
    hasPrivateKey: z.boolean(),
    hasPassphrase: z.boolean(),
    hostKey: z.string().nullable().describe('Host key pinned at the first connection. A different one is refused.'),
    hostKeyFingerprint: z.string().nullable(),
    baseDomain: z.string().nullable(),
    edgePort: z.number().nullable(),
    edgeTlsPort: z.number().nullable(),
    runtime: z
      .enum(serverRuntimes)
      .nullable()
      .describe(
        '`swarm`: projects run on the Swarm that it manages. `node`: it belongs to the cluster of another server. null: nothing was deployed to it yet.',
      ),
    swarmNodeId: z.string().nullable().describe('Its node in a Swarm. null: it is in none that Mooring knows.'),
    lastCheckedAt: timeField.nullable(),
    lastCheck: ServerCheck.nullable(),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Server' });

const readCheck = storedJson('servers.lastCheck', ServerCheck);

export const presentServer = (row: ServerTable): z.input<typeof Server> => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  host: row.host,
  port: row.port,
  user: row.username,
  publicKey: row.publicKey,
  hasPassword: row.password !== null,
  hasPrivateKey: row.privateKey !== null,
  hasPassphrase: row.passphrase !== null,
  hostKey: row.hostKey,
  hostKeyFingerprint: row.hostKey && fingerprintOf(Buffer.from(row.hostKey.split(' ')[1]!, 'base64')),
  baseDomain: row.baseDomain,
  edgePort: row.edgePort,
  edgeTlsPort: row.edgeTlsPort,
  runtime: row.runtime,
  swarmNodeId: row.swarmNodeId,
  lastCheckedAt: isoTimeOrNull(row.lastCheckedAt),
  lastCheck: readCheck(row.lastCheck),
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});
