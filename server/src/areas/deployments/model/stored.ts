import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Built, BuildResult, BuiltFolder } from './built.ts';
import {
  configSealLocation,
  DeploymentConfig,
  DeploymentFailure,
  DeploymentSource,
  DeploymentPrompt,
} from './model.ts';
import { DetectionHints, Recipe } from './recipe.ts';
import type { DeploymentRow, StepRow } from './store.ts';

// Older rows lack the fields that were added later.
const Detected = Recipe.extend({ framework: z.string().nullable(), hints: DetectionHints.optional() });
const OlderDetected = Detected.partial({ image: true, releaseCommand: true, fallback: true, framework: true });
const OlderBuilt = BuiltFolder.partial({ kind: true, bytes: true });
const OlderConfig = DeploymentConfig.partial({ cpus: true, port: true, readOnly: true, releaseCommand: true });
/** Result of `detect` for several services; their recipes are in the stack. */
const DetectedStack = z.object({ services: z.literal(true) });

/** Step results that later steps need. */
export interface StepResults {
  /** Set for apps only. */
  detect?: z.infer<typeof Detected>;
  build?: z.infer<typeof BuildResult>;
}

const readDetect = storedJson('deployment_steps.result', z.union([DetectedStack, OlderDetected]));
const readBuild = storedJson('deployment_steps.result', z.union([BuildResult, OlderBuilt]));

const missing = {
  detect: { image: null, releaseCommand: null, fallback: null, framework: null },
  build: { bytes: 0 },
  config: { cpus: null, port: null, readOnly: null, releaseCommand: null },
};

export function stepResultsIn(rows: readonly Pick<StepRow, 'name' | 'result'>[]): StepResults {
  const resultOf = (step: string) => rows.find(({ name }) => name === step)?.result ?? null;
  const [detect, build] = [readDetect(resultOf('detect')), readBuild(resultOf('build'))];
  return {
    ...(detect && !('services' in detect) && { detect: { ...missing.detect, ...detect } }),
    ...(build && {
      build:
        build.kind === undefined
          ? { ...missing.build, ...build, kind: 'folder' }
          : (build as z.infer<typeof BuildResult>),
    }),
  };
}

/** Returns the recipe and artifact of an app; the artifact is undefined if the build did not finish. */
export function appIn(rows: readonly StepRow[]): { recipe: Recipe; built: Built | undefined } | undefined {
  const { detect, build } = stepResultsIn(rows);
  if (!detect) return undefined;
  return { recipe: detect, built: build?.kind === 'stack' ? undefined : build };
}

const readConfig = storedJson('deployments.config', OlderConfig);
export const configIn = (sealer: Sealer, { id, config }: Pick<DeploymentRow, 'id' | 'config'>): DeploymentConfig => ({
  ...missing.config,
  ...readConfig(sealer.open(config, configSealLocation(id))),
});

const readSource = storedJson('deployments.source', DeploymentSource);
export const sourceIn = ({ source }: Pick<DeploymentRow, 'source'>): DeploymentSource => readSource(source);

const readFailure = storedJson('deployments.error', DeploymentFailure);
export const failureIn = ({ error }: Pick<DeploymentRow, 'error'>): DeploymentFailure | null => readFailure(error);

const readPrompt = storedJson('deployments.prompt', DeploymentPrompt);
export const promptIn = ({ prompt }: Pick<DeploymentRow, 'prompt'>): DeploymentPrompt | null => readPrompt(prompt);

/** Data of a `log` event. */
export const readLogLine = storedJson(
  'deployment_events.data',
  z.object({
    line: z.string(),
    level: z.string(),
    step: z.string().nullable(),
    stream: z.string(),
    /** Of a warning about files outside volumes. */
    folders: z.array(z.object({ path: z.string(), files: z.number(), example: z.string() })).optional(),
    service: z.string().nullable(),
  }),
);
/** Data of an event of any type. */
