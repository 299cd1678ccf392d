import { ContainerAnswer, type ContainerFacts } from '../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../drivers/runtime/docker/survey/survey.ts';

type Facts = { config?: object; host?: object; networks?: object; mounts?: object[]; status?: string };

/** Returns a container as the engine reports it. */
export const testContainer = (name: string, { config, host, networks, mounts, status }: Facts = {}): ContainerFacts =>
  ContainerAnswer.parse({
    Id: Buffer.from(name.padEnd(32, '.')).toString('hex').slice(0, 64),
    Name: `/${name}`,
    Image: `sha256:${'1'.repeat(64)}`,
    State: { Status: status ?? 'running' },
    Config: { Image: 'nginx:1', ...config },
    HostConfig: { NetworkMode: 'bridge', ...host },
    Mounts: mounts ?? [],
    NetworkSettings: { Networks: networks ?? { bridge: {} } },
  });

export const surveyOf = (containers: ContainerFacts[], more: Partial<EngineSurvey> = {}): EngineSurvey => ({
  engine: { version: '28.5', apiVersion: '1.51', os: 'Linux', arch: 'x', swarm: false, rootless: false, cgroup: '2' },
  dataFolder: '/var/lib/docker',
  containers,
  leftOut: 0,
  images: [],
  volumes: [],
  networks: [],
  ...more,
});
