import { randomBytes } from 'node:crypto';
import type { Detection } from '../../../detect/detect.ts';
import type { StepContext } from '../model/step.ts';
import { notKept } from './read/generated-variables.ts';

const forms: Record<Detection['generated'][number]['form'], () => string> = {
  hex: () => randomBytes(32).toString('hex'),
  laravel: () => `base64:${randomBytes(32).toString('base64')}`,
};

/** Makes the secrets that the source asks for variables of the project, so that later deployments have the same. */
export async function generatedSecrets(
  { parts, config, deployment, log }: Pick<StepContext, 'parts' | 'config' | 'deployment' | 'log'>,
  { generated }: Pick<Detection, 'generated'>,
): Promise<{ key: string; value: string }[]> {
  const set = new Set(config.variables.map(({ key }) => key));
  const missing = generated.filter(({ unlessVariables }) => !unlessVariables.some((key) => set.has(key)));
  if (!missing.length) return [];
  const made = Object.fromEntries(missing.map(({ key, form }) => [key, forms[form]()]));
  const kept = await parts.keepVariables(deployment, made).catch(notKept);
  log(`Generated ${Object.keys(kept).join(', ')}, which the source needs; it is a secret variable of the project now`);
  return Object.entries(kept).map(([key, value]) => ({ key, value }));
}
