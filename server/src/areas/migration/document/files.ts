import type { ContainerFacts, SwarmFile } from '../../../drivers/runtime/docker/survey/answers.ts';

const filesOf = ({ swarm }: ContainerFacts): SwarmFile[] => swarm?.files ?? [];

/** Names of secrets and configs may be equal. */
const keyOf = ({ name, secretId }: SwarmFile): string => (secretId === null ? name : `secret-${name}`);

/** Returns the secrets and configs of a Swarm service as configs, which have their content in the file. */
export const configsSection = (containers: readonly ContainerFacts[]): Record<string, object> =>
  Object.fromEntries(
    containers.flatMap(filesOf).map((file) => [keyOf(file), { content: file.content ?? '' }] as const),
  );

/** Returns where a service has them. */
export const fileUses = (container: ContainerFacts): object[] =>
  filesOf(container).map((file) => ({
    source: keyOf(file),
    target: file.target,
    uid: file.uid,
    gid: file.gid,
    mode: file.mode,
  }));
