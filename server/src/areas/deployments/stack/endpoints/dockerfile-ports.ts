import { parsePort } from './web-ports.ts';

/** What the stage of a Dockerfile that runs says about ports. */
export interface DockerfilePorts {
  ports: number[];
  /** The image that it is based on; null for `scratch` and names with variables. */
  base: string | null;
}

type Stage = { name: string; from: string; ports: number[] };

/** Reads EXPOSE of the last stage, or of `target`, and of the stages that it is based on. */
export function dockerfilePorts(text: string, target: string | null): DockerfilePorts {
  const values = new Map<string, string>();
  const stages: Stage[] = [];
  for (const line of text.split('\n').slice(0, 5000)) {
    const [, instruction = '', rest = ''] = /^\s*([A-Za-z]+)\s+(.*?)\s*$/.exec(line.slice(0, 1000)) ?? [];
    const filled = rest.replaceAll(
      /\$\{?(\w+)(?::?-([^}]*))?\}?/g,
      (all, name: string, usual?: string) => values.get(name) ?? usual ?? all,
    );
    if (/^(ARG|ENV)$/i.test(instruction))
      for (const [, name = '', value = ''] of filled.matchAll(/(\w+)[= ]["']?([^\s"']*)/g)) values.set(name, value);
    else if (/^FROM$/i.test(instruction)) stages.push(stageOf(filled));
    else if (/^EXPOSE$/i.test(instruction)) stages.at(-1)?.ports.push(...exposed(filled));
  }
  let stage = target === null ? stages.at(-1) : named(stages, target);
  const ports: number[] = [];
  for (let depth = 0; stage && depth < stages.length; depth++) {
    ports.push(...stage.ports);
    const base = named(stages.slice(0, stages.indexOf(stage)), stage.from);
    if (!base) break;
    stage = base;
  }
  const from = stage?.from ?? '';
  return { ports: [...new Set(ports)], base: from === '' || from === 'scratch' || from.includes('$') ? null : from };
}

function stageOf(text: string): Stage {
  const words = text.split(/\s+/).filter((word) => !word.startsWith('--'));
  return { name: /^as$/i.test(words[1] ?? '') ? (words[2] ?? '') : '', from: words[0] ?? '', ports: [] };
}

const named = (stages: Stage[], name: string): Stage | undefined =>
  stages.findLast((stage) => stage.name.toLowerCase() === name.toLowerCase() && stage.name !== '');

const exposed = (text: string): number[] =>
  text.split(/\s+/).flatMap((word) => parsePort(/^(\d+)(\/tcp)?$/i.exec(word)?.[1]) ?? []);
