import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { ChosenService } from '../document/document.ts';
import { type FoundPort, publishedPorts } from '../document/ports.ts';

/** An original container, with everything needed to identify and restore it. */
export interface OriginalContainer {
  containerId: string;
  name: string;
  imageId: string;
  image: string;
  /** State at the time of adoption. */
  state: string;
  restartPolicy: { name: string; maximumRetryCount: number };
  ports: FoundPort[];
  mounts: { type: string; name: string; source: string; target: string; readOnly: boolean }[];
  networks: { name: string; aliases: string[] }[];
}

/** By service name in the project. */
export type OriginalsByService = Record<string, OriginalContainer[]>;

export const originalsOf = (chosen: readonly ChosenService[]): OriginalsByService =>
  Object.fromEntries(chosen.map(({ key, found }) => [key, found.containers.map(originalOf)]));

function originalOf(container: ContainerFacts): OriginalContainer {
  const { Name, MaximumRetryCount } = container.HostConfig.RestartPolicy ?? { Name: '', MaximumRetryCount: 0 };
  return {
    containerId: container.Id,
    name: container.Name.replace(/^\//, ''),
    imageId: container.Image,
    image: container.Config.Image,
    state: container.State.Status,
    restartPolicy: { name: Name || 'no', maximumRetryCount: MaximumRetryCount },
    ports: publishedPorts(container),
    mounts: container.Mounts.map(({ Type, Name: name, Source, Destination, RW }) => ({
      type: Type,
      name,
      source: Source,
      target: Destination,
      readOnly: !RW,
    })),
    networks: Object.entries(container.NetworkSettings.Networks).map(([name, { Aliases }]) => ({
      name,
      aliases: Aliases.filter((alias) => !container.Id.startsWith(alias)),
    })),
  };
}
