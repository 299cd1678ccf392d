import { StepError } from '../model.ts';
import type { Step } from './step.ts';

/** Waits for somebody to let the built release out. */
export const approve: Step = {
  name: 'approve',
  deadlineMs: ({ parts }) => parts.timeouts.promptMs + 60_000,
  async run({ ask, log }) {
    const answer = await ask('Release this build?', ['approve', 'reject'], 'reject');
    if (answer !== 'approve')
      throw new StepError('not_approved', 'the release was not approved', 'Redeploy to be asked again.');
    log('Approved');
    return { answer };
  },
};
