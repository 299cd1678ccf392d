import type { AdoptionTable } from '../../../db/tables.ts';
import type { WayItWas } from '../../../drivers/runtime/docker/originals.ts';

/** A container that ran a service before the project took it over. */
export interface Original {
  containerId: string;
  name: string;
  ports: { protocol: string; published: number | null }[];
  mounts: { type: string; name: string; source: string; readOnly: boolean }[];
  networks: { name: string; aliases?: string[] }[];
  /** It is stopped for something of ours, or about to be: written down before anything is done to it. */
  held?: Held;
  /** It came back when the cut-over was undone last. */
  isBack?: true;
  /** It was removed after somebody had confirmed that it is not needed. */
  isRemoved?: true;
}

/** By which deployment, and how it was before. */
export interface Held {
  by: string;
  was: WayItWas;
}

/** By the names of services in the project. */
export type Originals = Record<string, Original[]>;

/** What may happen to what was taken over, in the order of its life. */
export const adoptionStates = ['adopted', 'switched', 'undoing', 'undone', 'confirming', 'confirmed'] as const;
export type AdoptionState = (typeof adoptionStates)[number];

export const originalsIn = ({ originals }: Pick<AdoptionTable, 'originals'>): Originals =>
  JSON.parse(originals) as Originals;

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
