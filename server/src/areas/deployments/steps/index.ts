import type { StepName } from '../plan.ts';
import { planStep } from '../stack/plan-step.ts';
import { restore, services } from '../stack/steps.ts';
import { approve } from './approve.ts';
import { build } from './build.ts';
import { check } from './check.ts';
import { detect } from './detect.ts';
import { release } from './release.ts';
import { retire } from './retire.ts';
import { route } from './route.ts';
import { source } from './source.ts';
import { start } from './start.ts';
import type { Step } from './step.ts';
import { tidy } from './tidy.ts';

export const steps: Record<StepName, Step> = {
  source,
  detect,
  build,
  approve,
  release,
  start,
  check,
  route,
  plan: planStep,
  services,
  restore,
  retire,
  tidy,
};
