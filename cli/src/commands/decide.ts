import { defineCommand } from '../command.ts';
import { decide, type Decision, isPending, outcomeOf } from '../deployments/decision.ts';
import { findDeployment } from '../deployments/find.ts';
import { exitCodes } from '../errors.ts';
import { signedInClient } from '../instance.ts';

const commandOf = (decision: Decision, summary: string, description: string) =>
  defineCommand({
    name: decision,
    parameters: ['<deployment or project>'],
    summary,
    description,
    async run({ args: [named = ''], out, instance }) {
      const client = signedInClient(instance());
      const nothing = 'no deployment that waits for a decision';
      const { id } = await findDeployment(client, named, (all) => all.find(isPending), nothing);
      const decided = await decide(client, id, decision);
      out.print(decided, () => outcomeOf(decided));
      if (decided.status !== (decision === 'keep' ? 'ready' : 'rejected')) process.exitCode = exitCodes.failed;
    },
  });

const keep = commandOf(
  'keep',
  'Accept a deployment of which some services failed',
  'What works is the release from then on. What failed runs as it did before; what is new and failed is not there.',
);

const reject = commandOf(
  'reject',
  'Undo a deployment of which some services failed',
  'Every changed service goes back to its previous version. Volumes are not touched.',
);

export const decideCommands = [keep, reject];
