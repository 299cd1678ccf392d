import type { DetectionHints, Recipe } from './recipe.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Built, BuiltStack } from './artifact.ts';
import {
  configPlace,
  type DeploymentConfig,
  type DeploymentFailure,
  type DeploymentSource,
  type Prompt,
} from './model.ts';
import type { DeploymentRow, StepRow } from './store.ts';

// Everything that rows keep as JSON is read here, and nowhere else.

/** Results of steps that later steps need. */
export interface StepResults {
  /** Of a stack only that it is one. */
  detect?: Recipe & { framework: string | null; hints?: DetectionHints };
  build?: Built | BuiltStack;
}

export const resultsIn = (rows: readonly Pick<StepRow, 'name' | 'result'>[]): StepResults => {
  const results = rows.flatMap(({ name, result }) => (result ? [[name, JSON.parse(result) as unknown]] : []));
  return Object.fromEntries(results) as StepResults;
};

/** What an app was made of; of a deployment whose build was not finished there is no artifact. */
export function appIn(rows: readonly StepRow[]): { recipe: Recipe; built: Built | undefined } | undefined {
  const { detect, build } = resultsIn(rows);
  if (!detect) return undefined;
  return { recipe: detect, built: build?.kind === 'stack' ? undefined : build };
}

export const configIn = (sealer: Sealer, { id, config }: Pick<DeploymentRow, 'id' | 'config'>): DeploymentConfig =>
  JSON.parse(sealer.open(config, configPlace(id))) as DeploymentConfig;

export const sourceIn = ({ source }: Pick<DeploymentRow, 'source'>): DeploymentSource =>
  JSON.parse(source) as DeploymentSource;

export const failureIn = ({ error }: Pick<DeploymentRow, 'error'>): DeploymentFailure | null =>
  error === null ? null : (JSON.parse(error) as DeploymentFailure);

export const promptIn = ({ prompt }: Pick<DeploymentRow, 'prompt'>): Prompt | null =>
  prompt === null ? null : (JSON.parse(prompt) as Prompt);
