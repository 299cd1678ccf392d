import { defineCommand } from '../../command.ts';
import { decide, type Decision, isPending, decisionSentence } from '../../deployments/decision.ts';
import { environmentOption, findDeployment } from '../../deployments/find.ts';
import { exitCodes } from '../../errors.ts';
import { deploymentOrLinked } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';

const commandOf = (decision: Decision, summary: string, description: string) =>
  defineCommand({
    name: decision,
    parameters: ['[deployment or project]'],
    summary,
    description: `${description}\nDefault: the project that this folder is linked to.`,
    options: { environment: environmentOption },
    async run({ args: [given], values: { environment }, out, instance }) {
      const client = signedInClient(instance());
      const named = await deploymentOrLinked(client, given, out);
      const nothing = 'no deployment that needs a decision';
      const { id } = await findDeployment(client, named, environment, (all) => all.find(isPending), nothing);
      const decided = await decide(client, id, decision);
      out.print(decided, () => decisionSentence(decided));
      if (decided.status !== (decision === 'keep' ? 'ready' : 'rejected')) process.exitCode = exitCodes.failed;
    },
  });

const keep = commandOf(
  'keep',
  'Keep a deployment in which some services failed',
  'Services that succeeded stay. Services that failed keep their previous version; new ones that failed are removed.',
);

const reject = commandOf(
  'reject',
  'Reject a deployment in which some services failed',
  'Every changed service goes back to its previous version. Volumes are not touched.',
);

export const decideCommands = [keep, reject];
