import type { Config } from '../../../config.ts';

/** The host of the address that people reach the instance itself at. */
export const instanceHostOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string | undefined =>
  publicUrl === undefined ? undefined : new URL(publicUrl).hostname;

/** The label below the instance's domain that the instance itself is reached under, if it is. What answered there, or below it, would
 * stand before the dashboard. */
export function instanceLabelOf(config: Pick<Config, 'publicUrl' | 'baseDomain'>): string | undefined {
  const suffix = `.${config.baseDomain}`;
  const host = instanceHostOf(config);
  return host?.endsWith(suffix) ? host.slice(0, -suffix.length).split('.').at(-1) : undefined;
}
