import { StepError } from '../model/model.ts';
import type { Step } from '../model/step.ts';
import type { RolloutPhase, StepName } from '../model/plan.ts';
import { planStep } from './plan-step.ts';
import { restore, services } from './steps.ts';
import { build } from '../build/build.ts';
import { detectStep } from '../stack/detect.ts';
import { release } from './release.ts';
import { retire } from './retire.ts';
import { source } from '../source/step.ts';
import { tidy } from './tidy.ts';

/** Waits for approval of the built release. */
const approve: Step = {
  name: 'approve',
  deadlineMs: ({ parts }) => parts.timeouts.promptMs + 60_000,
  async run({ ask, log }) {
    const answer = await ask('Release this build?', ['approve', 'reject'], 'reject');
    if (answer !== 'approve')
      throw new StepError('not_approved', 'nobody approved the release', 'Redeploy to be asked again.');
    log('Approved');
    return { answer };
  },
};

export const steps: Record<Exclude<StepName, RolloutPhase>, Step> = {
  source,
  detect: detectStep,
  build,
  approve,
  release,
  plan: planStep,
  services,
  restore,
  retire,
  tidy,
};
