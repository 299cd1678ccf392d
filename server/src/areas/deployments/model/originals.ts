import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { AdoptionTable } from '../../../db/tables.ts';
import { isSwarmServiceId } from '../../../drivers/runtime/docker/originals/service-id.ts';
import type { OriginalState } from '../../../drivers/runtime/docker/originals/originals.ts';

/** The deployment that stopped the container, and the container's state before. */
const Held = z.object({
  by: z.string(),
  was: z.object({
    state: z.enum(['running', 'paused', 'stopped']),
    restartPolicy: z.object({ name: z.string(), maximumRetryCount: z.number() }),
    replicas: z.number().optional(),
  }) satisfies z.ZodType<OriginalState>,
});
export type HeldOriginal = z.infer<typeof Held>;

/** A container, or a service of a Swarm, that ran a service before the project adopted it. */
const Original = z.object({
  /** Of the container or Swarm service. */
  containerId: z.string(),
  name: z.string(),
  ports: z.array(z.object({ protocol: z.string(), published: z.number().nullable() })),
  mounts: z.array(z.object({ type: z.string(), name: z.string(), source: z.string(), readOnly: z.boolean() })),
  networks: z.array(z.object({ name: z.string(), aliases: z.array(z.string()).optional() })),
  /** Set before the container is stopped for one of our deployments, so that a crash cannot lose its state. */
  held: Held.optional(),
  /** The last undo of the cut-over restored it. */
  isBack: z.literal(true).optional(),
  /** It was removed after the cut-over was confirmed. */
  isRemoved: z.literal(true).optional(),
});
export type Original = z.infer<typeof Original>;

/** Returns `container shop-1` or `Swarm service shop`, for sentences. */
export const originalTitle = ({ containerId, name }: Pick<Original, 'containerId' | 'name'>): string =>
  `${isSwarmServiceId(containerId) ? 'Swarm service' : 'container'} ${name}`;

/** Keyed by service name. */
const Originals = z.record(z.string(), z.array(Original));
export type Originals = z.infer<typeof Originals>;

const readOriginals = storedJson('adoptions.originals', Originals);
export const originalsIn = ({ originals }: Pick<AdoptionTable, 'originals'>): Originals => readOriginals(originals);

/** Uses `hasOwn` because a service may be called `constructor`. */
export const originalsOfService = (originals: Originals, service: string): Original[] =>
  Object.hasOwn(originals, service) ? originals[service]! : [];

/** Whether any of the containers is stopped for us. */
export const isAnyHeld = (originals: Originals): boolean =>
  Object.values(originals)
    .flat()
    .some(({ held }) => held !== undefined);

export const withOriginal = (
  originals: Originals,
  containerId: string,
  change: (original: Original) => Original,
): Originals =>
  Object.fromEntries(
    Object.entries(originals).map(([service, all]) => [
      service,
      all.map((each) => (each.containerId === containerId ? change(each) : each)),
    ]),
  );

/** Marks a container as stopped, or about to be stopped, for a deployment. */
export const markedHeld = (original: Original, held: HeldOriginal): Original => {
  const { isBack: _, ...rest } = original;
  return { ...rest, held };
};

/** Marks a container as restored by an undo. */
export const markedRestored = (original: Original): Original => ({ ...withoutMarks(original), isBack: true });

/** Clears every mark of ours. */
export const withoutMarks = (original: Original): Original => {
  const { held: _, isBack: __, ...rest } = original;
  return rest;
};
