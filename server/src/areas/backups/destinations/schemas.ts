import { z } from '../../../lib/zod/index.ts';
import { complaintOfPrefix } from '../../../drivers/storage/prefix.ts';
import type { StorageField, StorageKind } from '../../../drivers/storage/storage.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { hasControl } from '../../projects/port.ts';
import type { DestinationRow } from './store.ts';
import { optionsIn, storedSecrets } from './values.ts';

const name = z
  .string()
  .trim()
  .min(1, { error: 'is required' })
  .max(80, { error: 'must be at most 80 characters' })
  .refine((text) => !hasControl(text), { error: 'must not have control characters' });

const pathPrefix = z
  .string()
  .max(500)
  .superRefine((text, context) => {
    const complaint = complaintOfPrefix(text);
    if (complaint) context.addIssue({ code: 'custom', message: complaint });
  })
  .nullable()
  .describe('Prefix of all object names.');

/** Several kinds may share a field name; each validates it itself. */
function fieldsOf(kinds: StorageKind[]): StorageField[] {
  return [...new Map(kinds.flatMap(({ fields }) => fields).map((field) => [field.name, field])).values()];
}

const longest = (kinds: StorageKind[], field: string): number =>
  Math.max(
    ...kinds.flatMap(({ fields }) => fields.filter((each) => each.name === field)).map((each) => each.maxLength),
  );

/** Kinds that share a field may use it differently. */
function helpOf(kinds: StorageKind[], name: string): string {
  const helps = new Map<string, string[]>();
  for (const { label, fields } of kinds)
    for (const { help } of fields.filter((field) => field.name === name))
      helps.set(help, [...(helps.get(help) ?? []), label]);
  if (helps.size === 1) return [...helps.keys()][0]!;
  return [...helps].map(([help, labels]) => `${labels.join(', ')}: ${help}`).join(' ');
}

/** Null clears the field. Blank text is rejected. */
function schemaOf(kinds: StorageKind[], { name: field, type, isSecret }: StorageField) {
  const help = helpOf(kinds, field);
  const text = z
    .string()
    .max(longest(kinds, field))
    .refine((value) => value.trim() !== '', { error: 'must not be blank' })
    // Only keys have several lines.
    .refine((value) => (type === 'multiline' ? !value.includes('\0') : !hasControl(value)), {
      error: 'must not have control characters',
    });
  const number = z.union(
    [
      z.number().int(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    {
      error: 'must be a whole number',
    },
  );
  const schema = type === 'number' ? number : text;
  return schema.nullish().describe(isSecret ? `${help} Never shown again.` : help);
}

/** Builds the schemas from the fields of the storage kinds. */
export function destinationSchemas(kinds: StorageKind[]) {
  const fields = fieldsOf(kinds);
  const values = Object.fromEntries(fields.map((field) => [field.name, schemaOf(kinds, field)]));
  const common = { name, pathPrefix: pathPrefix.optional(), isDefault: z.boolean().optional() };
  const Body = z.object({ ...common, kind: z.string().max(100), ...values }).meta({ id: 'BackupDestinationBody' });
  const Change = z.object({ ...common, name: name.optional(), kind: z.string().max(100).optional(), ...values });
  const shown = fields
    .filter(({ isSecret }) => !isSecret)
    .map(({ name: field, type }) => [field, (type === 'number' ? z.number() : z.string()).nullable()]);
  const flags = fields.filter(({ isSecret }) => isSecret).map((field) => [flagOf(field.name), z.boolean()]);
  const Destination = z
    .object({
      id: z.string(),
      name: z.string(),
      kind: z.string(),
      ...(Object.fromEntries(shown) as Record<string, z.ZodNullable<z.ZodString | z.ZodNumber>>),
      pathPrefix: z.string(),
      isDefault: z.boolean(),
      ...(Object.fromEntries(flags) as Record<string, z.ZodBoolean>),
      hostKey: z.string().nullable().describe('Pinned at the first connection. A different host key is refused.'),
      lastVerifiedAt: timeField.nullable(),
      lastVerifyError: z.string().nullable(),
      createdAt: timeField,
      updatedAt: timeField,
    })
    .meta({ id: 'BackupDestination' });
  return { Body, Change, Destination, present: (row: DestinationRow) => present(kinds, fields, row) };
}

export type DestinationSchemas = ReturnType<typeof destinationSchemas>;
export type DestinationBody = z.output<DestinationSchemas['Body']> & Record<string, unknown>;
export type DestinationChange = z.output<DestinationSchemas['Change']> & Record<string, unknown>;

/** `secretAccessKey` -> `hasSecretAccessKey` */
const flagOf = (field: string) => `has${field[0]!.toUpperCase()}${field.slice(1)}`;

/** Does not open the secrets. */
function present(kinds: StorageKind[], fields: StorageField[], row: DestinationRow) {
  const own = kinds.find(({ kind }) => kind === row.kind)?.fields ?? [];
  const usual = new Map(own.map((field) => [field.name, field.usual]));
  const options = optionsIn(row);
  const secrets = new Set(storedSecrets(row));
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    ...Object.fromEntries(
      fields
        .filter(({ isSecret }) => !isSecret)
        .map(({ name: field }) => [field, options[field] ?? usual.get(field) ?? null]),
    ),
    pathPrefix: row.pathPrefix,
    isDefault: row.isDefault === 1,
    ...Object.fromEntries(
      fields.filter(({ isSecret }) => isSecret).map(({ name: field }) => [flagOf(field), secrets.has(field)]),
    ),
    hostKey: row.hostKey,
    lastVerifiedAt: isoTimeOrNull(row.lastVerifiedAt),
    lastVerifyError: row.lastVerifyError,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

export const DestinationKind = z
  .object({
    kind: z.string(),
    label: z.string(),
    help: z.string(),
    fields: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        help: z.string(),
        type: z.string(),
        secret: z.boolean(),
        required: z.boolean(),
        address: z.boolean().describe('A change of this field needs the stored credentials again.'),
        maxLength: z.number(),
      }),
    ),
    oneOf: z.array(z.array(z.string())).describe('At least one field of each group is required.'),
  })
  .meta({ id: 'BackupDestinationKind' });

export const presentKind = ({
  kind,
  label,
  help,
  fields,
  oneOf = [],
}: StorageKind): z.input<typeof DestinationKind> => ({
  kind,
  label,
  help,
  fields: fields.map(({ isSecret, isRequired, isAddress = false, ...field }) => ({
    ...field,
    secret: isSecret,
    required: isRequired,
    address: isAddress,
  })),
  oneOf,
});

/** A failure is in the body, not in the status. */
export const Preflight = z
  .object({ ok: z.boolean(), reason: z.string().optional(), code: z.string().optional() })
  .meta({ id: 'Preflight' });
