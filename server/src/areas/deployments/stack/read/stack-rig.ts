import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '../../../../../test/rig/children.ts';
import { nothingDetected } from '../../../../detect/detect.ts';
import { type DeploymentConfig, StepError } from '../../model/model.ts';
import type { Recipe } from '../../model/recipe.ts';
import type { StackInput } from './input.ts';
import { readStack, type ReadStack } from './read.ts';

export type SourceFiles = Record<string, string>;

export function folderWith(files: SourceFiles): string {
  const folder = newFolder('source');
  addFiles(folder, files);
  return folder;
}

export function addFiles(folder: string, files: SourceFiles): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export const emptyRecipe: Recipe = {
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  releaseCommand: null,
  outputDirectory: null,
  fallback: null,
  image: null,
};

export const emptyConfig: DeploymentConfig = {
  slug: 'shop',
  rootDirectory: '',
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  releaseCommand: null,
  requireApproval: false,
  rollbackWindow: 5,
  healthCheck: { type: 'http', path: null, timeoutSeconds: null },
  memoryBytes: null,
  cpus: null,
  port: null,
  readOnly: null,
  variables: [],
};

export type StackOverrides = Partial<Omit<StackInput, 'config'>> & { config?: Partial<DeploymentConfig> };

/** Reads a source as a deployment does, with the test's overrides. */
export function readTestStack(
  folder: string,
  { config, ...given }: StackOverrides = {},
): Promise<ReadStack | undefined> {
  return readStack({
    folder,
    rootDirectory: '',
    found: nothingDetected,
    slug: 'shop',
    mode: 'self-hosted',
    trusted: false,
    hasSource: true,
    activeServices: [],
    hasContainers: true,
    digestOf: (path) => Promise.resolve(sum(join(folder, path))),
    digestOfText: (text) => Promise.resolve(sumOf(text)),
    edgePorts: { http: [80], tls: [443] },
    address: {
      label: 'shop',
      baseDomain: 'example.com',
      of: (host) => ({ host, url: `https://${host}` }),
    },
    keepVariables: (values) => Promise.resolve(values),
    generated: [],
    homeFolder: () => Promise.resolve('/home/mooring'),
    fetchContext: async () => {},
    log: () => {},
    ...given,
    config: { ...emptyConfig, ...config },
  });
}

/** Returns the error of an invalid stack; fails if it is valid. */
export async function testStackError(folder: string, given: StackOverrides = {}): Promise<StepError> {
  const outcome = await readTestStack(folder, given).catch((error: unknown) => error);
  if (outcome instanceof StepError) return outcome;
  throw new Error(`it was not refused: ${JSON.stringify(outcome)}`, { cause: outcome });
}

const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');
function sum(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  return stats.isFile() ? sumOf(readFileSync(path, 'utf8')) : `folder ${stats.mtimeMs}`;
}
