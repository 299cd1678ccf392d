import type { Config } from '../../../config.ts';

/** Returns the host of the instance itself. */
export const instanceHostOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string | undefined =>
  publicUrl === undefined ? undefined : new URL(publicUrl).hostname;

/**
 * Returns the label of the instance below its base domain, if any. A project there, or below it, would shadow the
 * dashboard.
 */
export function instanceLabelOf(config: Pick<Config, 'publicUrl' | 'baseDomain'>): string | undefined {
  const suffix = `.${config.baseDomain}`;
  const host = instanceHostOf(config);
  return host?.endsWith(suffix) ? host.slice(0, -suffix.length).split('.').at(-1) : undefined;
}
