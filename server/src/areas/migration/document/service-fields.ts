import type { ConfigFacts, ContainerFacts, ImageFacts } from '../../../drivers/runtime/docker/survey/answers.ts';

/** Fields of a compose service. */
export type ServiceFields = Record<string, unknown>;

/** Sources of the service fields. */
export interface FoundContainer {
  container: ContainerFacts;
  /** Entry of the image list; undefined if the image is gone. */
  image: ImageFacts | undefined;
  /** Config of the image; null if unknown, and then all fields are written. */
  config: ConfigFacts | null;
  /** `1` or `2`: the default cgroup namespace depends on it. */
  cgroup: string;
}

/** Returns the field unless its value is empty. */
export const fieldUnlessEmpty = (name: string, value: unknown): ServiceFields =>
  isNothing(value) ? {} : { [name]: value };

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return !value.length;
  return typeof value === 'object' && !Object.keys(value as object).length;
}
