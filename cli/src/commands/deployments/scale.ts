import { unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { findProject } from '../../deployments/find.ts';
import { UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { plainText } from '../../output.ts';
import { countWithNoun } from '../../format.ts';

const scale = defineCommand({
  name: 'scale',
  parameters: ['<project>', '[service=]<replicas>'],
  summary: 'Run several replicas of an app, or of a service of a compose file',
  description: [
    'mooring scale shop 3, or for one of several services: mooring scale shop web=3',
    'Needs no build and drops no request: new replicas get requests once they respond. Deployments keep the number.',
  ].join('\n'),
  options: { environment: { type: 'string', value: '<name>', help: 'environment; default production' } },
  async run({ args: [named = '', text = ''], values, out, instance }) {
    const [, service, number = ''] = /^(?:(.+)=)?(.*)$/.exec(text) ?? [];
    const replicas = Number(number);
    if (!/^\d{1,2}$/.test(number) || replicas < 1 || replicas > 50)
      throw new UsageError(
        text
          ? `${plainText(number)} is not a number of replicas from 1 to 50`
          : 'the number of replicas is missing, from 1 to 50: mooring scale shop 3',
      );
    const client = signedInClient(instance());
    const { id, name, slug } = await findProject(client, named);
    const { environment } = values;
    const body = { replicas, ...(service && { service }), ...(environment && { environment }) };
    const { data } = await unwrap(client.POST('/api/projects/{id}/scale', { params: { path: { id } }, body }));
    const what = data.service === 'app' ? plainText(name) : `${plainText(data.service)} of ${plainText(name)}`;
    out.print(data, () =>
      data.deploymentId === null
        ? `The next deployment of ${what} runs ${countWithNoun(replicas, 'replica')}.`
        : `Scaling ${what} to ${countWithNoun(replicas, 'replica')}. See them: mooring services ${slug}`,
    );
  },
});

export const scaleCommands = [scale];
