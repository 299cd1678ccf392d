import { z } from '../lib/zod/index.ts';
import type { Route } from './define-route.ts';

type Json = Record<string, unknown>;

/** Returns the OpenAPI 3.1 document of the route table. `server/openapi.json` is generated from it. */
export function openApiDocument(routes: Route[], version: string): Json {
  const schemas: Json = { Error: errorSchema };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, schemas);
  }
  // A schema used for both input and output is described as input, the wider of the two.
  for (const { body } of routes) if (body) toSchema(body, 'input', schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mooring',
      version,
      description: 'The API of a Mooring instance. The dashboard and the CLI use this API only.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: descriptionOf(name) })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A personal access token, `mrg_pat_...`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'mooring_session',
          description: 'Session of the dashboard, with the header X-Session-Proof.',
        },
      },
      responses: {
        Error: { description: 'What went wrong.', content: jsonContent({ $ref: '#/components/schemas/Error' }) },
      },
      schemas,
    },
  };
}

function operation(route: Route, schemas: Json): Json {
  const success = route.streams
    ? {
        description: 'A stream of server-sent events.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      }
    : { description: 'It worked.', content: contentOf(route, toSchema(route.output, 'output', schemas)) };
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, accessOf(route)].filter(Boolean).join('\n\n'),
    'x-permission': route.permission,
    ...(route.mode && { 'x-mode': route.mode }),
    ...(route.permission === 'public' && { security: [] }),
    parameters: [...parameters(route.params, 'path', schemas), ...parameters(route.query, 'query', schemas)],
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse({}).success,
        content: jsonContent(toSchema(route.body, 'input', schemas)),
      },
    }),
    responses: { [route.status ?? 200]: success, '4XX': { $ref: '#/components/responses/Error' } },
  };
}

function accessOf({ permission, mode }: Route): string {
  const who =
    { public: 'Public.', 'signed-in': 'Any signed-in caller.' }[permission as string] ??
    `Permission: \`${permission}\`.`;
  return mode ? `${who} Only on ${mode} instances.` : who;
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: Json): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => {
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema: property,
    };
  });
}

/** Schemas with an id become components, so that clients get one type for each. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Json };
  const moved = JSON.parse(JSON.stringify({ own, $defs }).replaceAll('"#/$defs/', '"#/components/schemas/')) as {
    own: Json;
    $defs: Json;
  };
  for (const [name, part] of Object.entries(moved.$defs)) {
    const { id: _id, ...rest } = part as Json;
    schemas[name] = rest;
  }
  const { id: _id, ...rest } = moved.own;
  return rest;
}

/** Tag descriptions; the first path segment is the tag. */
const nouns: Record<string, string> = {
  instance: 'The instance.',
  auth: 'Set-up, sign-in and passwords.',
  me: 'The caller.',
  organizations: 'Organizations own everything else.',
  members: 'People in an organization and their roles.',
  invitations: 'Invitation links.',
  tokens: 'Access tokens for programs.',
  servers: 'Machines that Mooring manages over SSH.',
  workers: 'Machines that build images for the instance.',
  migration: 'Adopt containers that already run on servers.',
  projects: 'Projects with their source, settings, variables, domains and volumes.',
  cloud: 'Link to a hosted cloud, and the operations of a hosted cloud.',
  registries: 'Logins for private image registries.',
  deployments: 'Attempts to release a project.',
  events: 'Live changes of an organization.',
  'backup-destinations': 'Storage for backups.',
  'backup-policies': 'When and what is backed up.',
  'backup-keys': 'Keys that archives are encrypted with.',
  'backup-downloads': 'Downloads of archives by links that expire.',
  backups: 'Backups and their archives.',
  restores: 'Restores and drills.',
  githost: 'Git host connections, repositories and webhooks.',
  'acme-challenge': 'Challenges of certificate authorities.',
  webhooks: 'Incoming webhooks.',
  audit: 'Audit log.',
};

function descriptionOf(noun: string): string {
  const description = nouns[noun];
  if (!description) throw new Error(`the noun ${noun} needs a description in http/openapi.ts`);
  return description;
}

function tagOf({ path }: Route): string {
  const word = path.split('/')[2]!;
  return ['health', 'docs', 'openapi.json'].includes(word) ? 'instance' : word;
}

function operationId({ method, path }: Route): string {
  const words = path
    .split('/')
    .slice(2)
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part));
  return [method.toLowerCase(), ...words.flatMap((part) => part.split(/[-.]/))]
    .map((word, i) => (i ? word[0]!.toUpperCase() + word.slice(1) : word))
    .join('');
}

const contentOf = ({ contentType }: Route, schema: Json) =>
  contentType ? { [contentType.split(';')[0]!]: { schema } } : jsonContent(schema);

const jsonContent = (schema: Json) => ({ 'application/json': { schema } });

const errorSchema: Json = {
  type: 'object',
  required: ['success', 'error', 'code'],
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'Message for people.' },
    code: { type: 'string', description: 'Code for programs.' },
    message: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};
