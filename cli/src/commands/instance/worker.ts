import { type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';
import { maintenanceInForeground } from '../../maintenance.ts';
import { plainText } from '../../output.ts';
import { ago } from '../../format.ts';

type Worker = Schemas['Worker'];

const worker = defineCommand({
  name: 'worker',
  summary: 'Build images on this machine for an instance',
  description: [
    'Runs until it is stopped. Needs Docker, and DATABASE_URL and MOORING_SECRET_KEY of the instance, whose database',
    'must be PostgreSQL. It is as trusted as the instance itself: it can read every secret.',
  ].join('\n'),
  options: {
    name: { type: 'string', value: '<name>', help: 'name of the worker; default: the host name' },
    label: { type: 'string', multiple: true, value: '<label>', help: 'label such as gpu or team=web; repeatable' },
    platform: {
      type: 'string',
      multiple: true,
      value: '<platform>',
      help: "platform that it builds, such as linux/amd64; repeatable; default: the engine's own",
    },
  },
  async run({ values: { name, label = [], platform = [] } }) {
    const flags = [
      ...(name === undefined ? [] : [`--name=${name}`]),
      ...label.map((each) => `--label=${each}`),
      ...platform.map((each) => `--platform=${each}`),
    ];
    process.exitCode = await maintenanceInForeground('worker', ...flags);
  },
});

const workers = defineCommand({
  name: 'workers',
  summary: 'List build workers, with what they build now',
  async run({ out, instance }) {
    const { data } = await unwrap(signedInClient(instance()).GET('/api/workers'));
    out.list(data, [
      { heading: 'NAME', value: ({ name }) => plainText(name) },
      { heading: 'PLATFORMS', value: ({ platforms }) => plainText(platforms.join(', ')) },
      { heading: 'LABELS', value: ({ labels }) => plainText(labels.join(', ')) },
      { heading: 'STATE', value: stateOf },
    ]);
  },
});

function stateOf({ isConnected, lastSeenAt, builds }: Worker): string {
  if (!isConnected) return `last seen ${ago(lastSeenAt)}`;
  return builds.length ? `building ${builds.map(({ deploymentId }) => deploymentId).join(', ')}` : 'waiting';
}

export const workerCommands = [worker, workers];
