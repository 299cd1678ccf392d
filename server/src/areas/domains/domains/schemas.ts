import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';

const path = z
  .string()
  .max(500)
  .regex(/^\/[\x21-\x22\x24-\x3e\x40-\x7e]*$/, {
    error: 'must begin with a slash and be a URL path, without spaces, ? and #',
  });
const service = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'must be the name of a service' });
const year = 31_536_000;

const fields = {
  environment: z
    .string()
    .max(40)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, { error: 'must be lower-case letters, digits and dashes' }),
  service: service
    .nullable()
    .describe('Service that gets the requests; null: the one behind the address of the project.'),
  path: path.describe('Serve only requests below this path.'),
  redirectTo: z
    .string()
    .max(300)
    .nullable()
    .describe(
      'Another domain of the project, or `https://` and a host. Requests are redirected there with path and query.',
    ),
  isPrimary: z.boolean().describe('The primary domain of its environment: the address that is shown.'),
  https: z
    .enum(['redirect', 'optional'])
    .describe('`redirect`: HTTP requests are redirected to HTTPS once there is a certificate.'),
  hstsSeconds: z
    .number()
    .int()
    .min(0)
    .max(2 * year)
    .nullable()
    .describe('max-age of the HSTS header in seconds; null: no header.'),
};

export const DomainBody = z.object({
  name: z.string().min(1, { error: 'is required' }).max(300),
  environment: fields.environment.default('production'),
  service: fields.service.default(null),
  path: fields.path.default('/'),
  redirectTo: fields.redirectTo.default(null),
  isPrimary: fields.isPrimary.optional(),
  https: fields.https.default('redirect'),
  hstsSeconds: fields.hstsSeconds.default(null),
});
export type DomainBody = z.output<typeof DomainBody>;

const { environment: _fixed, ...changeable } = fields;
export const DomainChange = z.object(changeable).partial();
export type DomainChange = z.output<typeof DomainChange>;

/** Result of the last DNS check. */
const DomainCheck = z.object({
  status: z.enum(['here', 'not_found', 'elsewhere', 'unreachable']),
  message: z.string(),
  fix: z.string().nullable(),
  addresses: z.array(z.string()),
});
export type DomainCheck = z.output<typeof DomainCheck>;

const CertificateSummary = z.object({
  source: z.enum(['acme', 'uploaded']),
  issuer: z.string(),
  validTo: timeField,
  daysLeft: z.number(),
});
export type CertificateSummary = z.input<typeof CertificateSummary>;

const DomainAction = z.object({ required: z.boolean(), message: z.string().nullable(), fix: z.string().nullable() });
export type DomainAction = z.input<typeof DomainAction>;

export const Domain = z
  .object({
    id: z.string(),
    name: z.string(),
    projectId: z.string(),
    ...fields,
    url: z.string(),
    pointing: DomainCheck.nullable().describe('Whether the DNS records point here; null before the first check.'),
    checkedAt: timeField.nullable(),
    certificate: CertificateSummary.nullable(),
    action: DomainAction.describe('Action required before the domain serves over HTTPS.'),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Domain' });

export type CertificateState = {
  certificate: CertificateSummary | null;
  problem: { message: string; fix: string | null } | null;
};

const readPointing = storedJson('domains.pointing', DomainCheck);
export const pointingOf = ({ pointing }: Pick<DomainTable, 'pointing'>): DomainCheck | null => readPointing(pointing);

type Known = {
  url: string;
  state: CertificateState;
  /** Services of the active release, if it has several. */
  services: readonly string[] | undefined;
};

export function presentDomain(row: DomainTable, { url, state, services }: Known): z.input<typeof Domain> {
  const pointing = pointingOf(row);
  return {
    id: row.id,
    name: row.name,
    projectId: row.projectId,
    environment: row.environment,
    service: row.service,
    path: row.path,
    redirectTo: row.redirectTo,
    isPrimary: row.isPrimary === 1,
    https: row.https,
    hstsSeconds: row.hstsSeconds,
    url,
    pointing,
    checkedAt: isoTimeOrNull(row.checkedAt),
    certificate: state.certificate,
    action: actionOf(missingService(row, services) ?? misled(pointing) ?? state.problem),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

const actionOf = (problem: CertificateState['problem']): DomainAction =>
  problem ? { required: true, ...problem } : { required: false, message: null, fix: null };

const misled = (pointing: DomainCheck | null): CertificateState['problem'] =>
  pointing && pointing.status !== 'here' ? { message: pointing.message, fix: pointing.fix } : null;

/** The active release has no such service, so nothing serves the domain. */
function missingService({ name, service }: DomainTable, services: Known['services']): CertificateState['problem'] {
  if (service === null || !services || services.includes(service)) return null;
  return {
    message: `${name} is not served: the release has no service ${service}`,
    fix: `Choose one of ${services.join(', ')} as service of the domain, or deploy a service ${service}.`,
  };
}
