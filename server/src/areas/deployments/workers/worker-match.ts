import { isSamePlatform } from '../../../drivers/images/platforms.ts';

/** What a build needs of a worker. */
export type BuildNeeds = { platform: string; labels: readonly string[] };

/** What a worker offers. */
export type WorkerOffer = { name: string; platforms: string[]; labels: string[] };

export const canBuild = ({ platforms, labels }: WorkerOffer, wanted: BuildNeeds): boolean =>
  platforms.some((each) => isSamePlatform(each, wanted.platform)) &&
  wanted.labels.every((label) => labels.includes(label));

/** Says what is missing: `no connected build worker builds linux/amd64 and has the label gpu (connected: ...)`. */
export function noWorkerReason(offers: readonly WorkerOffer[], { platform, labels }: BuildNeeds): string {
  const needs = [`builds ${platform}`];
  if (labels.length) needs.push(`has the ${labels.length === 1 ? 'label' : 'labels'} ${labels.join(', ')}`);
  const shown = offers.map(({ name, platforms, labels: own }) => `${name}: ${[...platforms, ...own].join(', ')}`);
  const connected = shown.length ? `connected: ${shown.join('; ')}` : 'none is connected';
  return `no build worker ${needs.join(' and ')} (${connected})`;
}
