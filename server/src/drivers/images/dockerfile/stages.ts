import { expandVariables, type VariableLookup } from './expand.ts';
import type { Dockerfile, Instruction } from './parse.ts';

/** Source of a stage: another stage by index, an image, or nothing (`scratch`). */
export type StageBase = { stage: number } | { image: string; platform?: string };

export interface DockerfileStage {
  name: string | undefined;
  sources: StageBase[];
}

/** A FROM that cannot be resolved without running the build. */
export class UnreadableFromError extends Error {
  override name = 'UnreadableFromError';
}

/** Returns the stages. `architecture` is the engine's, such as `arm64`: some Dockerfiles refer to it. */
export function stagesOf(file: Dockerfile, args: Record<string, string>, architecture: string): DockerfileStage[] {
  const known = new Map(Object.entries(platformArgs(architecture)));
  const stages: DockerfileStage[] = [];
  for (const instruction of file.instructions) {
    const stage = stages.at(-1);
    if (instruction.name === 'ARG' && !stage) declare(instruction, known, args);
    if (instruction.name === 'FROM') stages.push(stageOf(instruction, stages, (name) => known.get(name)));
    else stage?.sources.push(...sourcesUsedBy(instruction, stages));
  }
  return stages;
}

/** Returns the stages that a build of the target needs, including itself. */
export function neededStages(stages: DockerfileStage[], target?: string): DockerfileStage[] {
  const first = target === undefined ? stages.length - 1 : stageNamed(stages, target);
  const needed = new Set<number>();
  for (const waiting = [first ?? stages.length - 1]; waiting.length;) {
    const at = waiting.pop()!;
    const stage = stages[at];
    if (!stage || needed.has(at)) continue;
    needed.add(at);
    waiting.push(...stage.sources.flatMap((source) => ('stage' in source ? [source.stage] : [])));
  }
  return stages.filter((_, at) => needed.has(at));
}

/** Finds the stage of a target or `--from`, by name or number. */
export function stageNamed(stages: DockerfileStage[], name: string): number | undefined {
  const at = stages.findLastIndex((stage) => stage.name === name.toLowerCase());
  if (at >= 0) return at;
  return /^\d+$/.test(name) && Number(name) < stages.length ? Number(name) : undefined;
}

function stageOf(
  { flags, arguments: words }: Instruction,
  before: DockerfileStage[],
  lookup: VariableLookup,
): DockerfileStage {
  const [word = '', as = '', name] = words.split(/\s+/);
  const image = expandVariables(word, lookup);
  const platformFlag = flags.find((flag) => flag.startsWith('--platform='))?.slice('--platform='.length);
  const platform = platformFlag && expandVariables(platformFlag, lookup);
  if (!image || (platformFlag && !platform)) throw new UnreadableFromError(`FROM ${words} names no image`);
  return {
    name: as.toLowerCase() === 'as' ? name?.toLowerCase() : undefined,
    sources: sourceOf(image, before, platform),
  };
}

function sourceOf(name: string, stages: DockerfileStage[], platform?: string): StageBase[] {
  const stage = stages.findLastIndex((each) => each.name === name.toLowerCase());
  if (stage >= 0) return [{ stage }];
  return name === 'scratch' ? [] : [{ image: name, ...(platform && { platform }) }];
}

/** Returns the sources of a COPY or a RUN mount; also those of ONBUILD triggers. */
export function sourcesUsedBy(
  { name, flags, arguments: rest }: Pick<Instruction, 'name' | 'flags' | 'arguments'>,
  stages: DockerfileStage[],
): StageBase[] {
  if (name === 'ONBUILD') {
    const [, inner = '', more = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
    const innerFlags = [...more.matchAll(/(?<=^|\s)--\S+/g)].map(([flag]) => flag);
    return sourcesUsedBy({ name: inner.toUpperCase(), flags: innerFlags, arguments: more }, stages);
  }
  const names = flags.flatMap((flag) => {
    const [, from] = (name === 'COPY' && /^--from=(.+)$/i.exec(flag)) || [];
    const [, mount] = (name === 'RUN' && /^--mount=(.+)$/i.exec(flag)) || [];
    return [from, ...(mount?.split(',') ?? []).map((part) => /^"?from=([^"]+)/i.exec(part)?.[1])];
  });
  return names
    .filter((each) => each !== undefined)
    .flatMap((each) => {
      const stage = stageNamed(stages.slice(0, -1), each);
      return stage === undefined ? sourceOf(each, []) : [{ stage }];
    });
}

function declare({ arguments: words }: Instruction, known: Map<string, string>, args: Record<string, string>): void {
  for (const [, name, given, value = ''] of words.matchAll(
    /([A-Za-z_][A-Za-z0-9_]*)(=((?:"[^"]*"|'[^']*'|\\.|[^\s"'])*))?/g,
  )) {
    const byDefault = given ? expandVariables(value, (each) => known.get(each)) : undefined;
    const chosen = Object.hasOwn(args, name!) ? args[name!] : byDefault;
    if (chosen !== undefined) known.set(name!, chosen);
  }
}

const platformArgs = (architecture: string): Record<string, string> =>
  Object.fromEntries(
    ['BUILD', 'TARGET'].flatMap((which) => [
      [`${which}PLATFORM`, `linux/${architecture}`],
      [`${which}OS`, 'linux'],
      [`${which}ARCH`, architecture],
      [`${which}VARIANT`, ''],
    ]),
  );
