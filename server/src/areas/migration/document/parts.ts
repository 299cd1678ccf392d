import type { ConfigFacts, ContainerFacts, ImageFacts } from '../../../drivers/runtime/docker/survey/answers.ts';

/** Fields of a service of a compose file. */
export type ServiceFields = Record<string, unknown>;

/** What a service is written from: its container, and what its image says anyway. */
export interface Written {
  container: ContainerFacts;
  /** As it stands in the list of images; undefined when it is gone. */
  image: ImageFacts | undefined;
  /** What the image says; null where nobody has asked, or nobody knows: then everything is written down. */
  config: ConfigFacts | null;
  /** `1` or `2`: what namespaces are by themselves depends on it. */
  cgroup: string;
}

/** The field if there is something to say. */
export const fieldUnlessEmpty = (name: string, value: unknown): ServiceFields =>
  isNothing(value) ? {} : { [name]: value };

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return !value.length;
  return typeof value === 'object' && !Object.keys(value as object).length;
}
