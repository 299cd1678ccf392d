import { z } from '../../../../lib/zod/index.ts';
import { GitHostError } from '../../errors.ts';
import type { GitHostEvent } from '../../webhook-events.ts';
import {
  accountPayload,
  announcedRepository,
  fullNameRepository,
  installationShape,
  repositoriesIfPresent,
} from './payload-shapes.ts';
import { pushPayload } from './push.ts';

const ping = z
  .object({ hook_id: z.number().nullish(), repository: announcedRepository.nullish() })
  .transform(({ hook_id, repository }): GitHostEvent => ({
    type: 'ping',
    hookId: hook_id ?? null,
    repository: repository ?? null,
  }));

const actions: Record<string, Extract<GitHostEvent, { type: 'installation' }>['action']> = {
  created: 'created',
  deleted: 'deleted',
  suspend: 'suspended',
  unsuspend: 'resumed',
};

const installation = z
  .object({ action: z.string(), installation: installationShape })
  .transform(({ action, installation }): GitHostEvent => ({
    type: 'installation',
    action: Object.hasOwn(actions, action) ? actions[action]! : 'changed',
    installation,
  }));

/** The account was renamed; its installation keeps its id. */
const target = z
  .object({ action: z.string(), account: accountPayload, installation: z.object({ id: z.number() }) })
  .transform(({ action, account, installation: { id } }): GitHostEvent => ({
    type: 'installation',
    action: action === 'renamed' ? action : 'changed',
    installation: { id, account },
  }));

const repositories = z
  .object({
    installation: installationShape,
    repositories_added: z.array(fullNameRepository).optional(),
    repositories_removed: z.array(fullNameRepository).optional(),
  })
  .transform(({ installation, repositories_added: added = [], repositories_removed: removed = [] }): GitHostEvent => ({
    type: 'repositories',
    installation,
    added: added.flatMap(repositoriesIfPresent),
    removed: removed.flatMap(repositoriesIfPresent),
  }));

const refChange = (type: 'ref_created' | 'ref_deleted') =>
  z
    .object({ ref: z.string(), ref_type: z.enum(['branch', 'tag']), repository: announcedRepository })
    .transform(({ ref, ref_type, repository }): GitHostEvent => ({
      type,
      repository,
      ref: { kind: ref_type, name: ref },
    }));

const known = new Map<string, z.ZodType<GitHostEvent>>([
  ['push', pushPayload],
  ['ping', ping],
  ['installation', installation],
  ['installation_repositories', repositories],
  ['installation_target', target],
  ['create', refChange('ref_created')],
  ['delete', refChange('ref_deleted')],
]);

/** Parses a webhook delivery; check its signature first. `name` is the header `X-GitHub-Event`. */
export function parseWebhook(name: string, body: Buffer, contentType = 'application/json'): GitHostEvent {
  const shape = known.get(name);
  if (!shape) return { type: 'other', name: name.slice(0, 100) };
  let payload: unknown;
  try {
    const text = body.toString('utf8');
    const isForm = contentType.startsWith('application/x-www-form-urlencoded');
    payload = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text);
  } catch {
    throw new GitHostError('invalid', 'the webhook delivery is not JSON');
  }
  const { success, data, error } = shape.safeParse(payload);
  if (success) return data;
  throw new GitHostError(
    'invalid',
    `the webhook delivery of a ${name} lacks ${error.issues[0]?.path.join('.') || 'its content'}`,
  );
}
