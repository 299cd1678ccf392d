import { z } from 'zod';
import { storedJson } from '../../../db/stored-json.ts';
import type { AdoptionTable } from '../../../db/tables.ts';
import type { WayItWas } from '../../../drivers/runtime/docker/originals/originals.ts';

/** By which deployment, and how it was before. */
const Held = z.object({
  by: z.string(),
  was: z.object({
    state: z.enum(['running', 'paused', 'stopped']),
    restartPolicy: z.object({ name: z.string(), maximumRetryCount: z.number() }),
  }) satisfies z.ZodType<WayItWas>,
});
export type Held = z.infer<typeof Held>;

/** A container that ran a service before the project took it over. */
const Original = z.object({
  containerId: z.string(),
  name: z.string(),
  ports: z.array(z.object({ protocol: z.string(), published: z.number().nullable() })),
  mounts: z.array(z.object({ type: z.string(), name: z.string(), source: z.string(), readOnly: z.boolean() })),
  networks: z.array(z.object({ name: z.string(), aliases: z.array(z.string()).optional() })),
  /** It is stopped for something of ours, or about to be: written down before anything is done to it. */
  held: Held.optional(),
  /** It came back when the cut-over was undone last. */
  isBack: z.literal(true).optional(),
  /** It was removed after somebody had confirmed that it is not needed. */
  isRemoved: z.literal(true).optional(),
});
export type Original = z.infer<typeof Original>;

/** By the names of services in the project. */
const Originals = z.record(z.string(), z.array(Original));
export type Originals = z.infer<typeof Originals>;

const readOriginals = storedJson('adoptions.originals', Originals);
export const originalsIn = ({ originals }: Pick<AdoptionTable, 'originals'>): Originals => readOriginals(originals);

/** Of one service, whatever it is called. */
export const ofService = (originals: Originals, service: string): Original[] =>
  Object.hasOwn(originals, service) ? originals[service]! : [];

/** Whether something of it is stopped for us. */
export const isAnyHeld = (originals: Originals): boolean =>
  Object.values(originals)
    .flat()
    .some(({ held }) => held !== undefined);

/** The same with one of them changed. */
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

/** It is about to be stopped, or is stopped, for a deployment. */
export const heldBack = (original: Original, held: Held): Original => {
  const { isBack: _, ...rest } = original;
  return { ...rest, held };
};

/** The cut-over was undone, and it is as it was. */
export const givenBack = (original: Original): Original => ({ ...forgotten(original), isBack: true });

/** Nothing of ours has to do with it any more. */
export const forgotten = (original: Original): Original => {
  const { held: _, isBack: __, ...rest } = original;
  return rest;
};
