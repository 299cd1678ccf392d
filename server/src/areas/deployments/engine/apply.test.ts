import { expect, it } from 'vitest';
import { buildReasons, builtOfNow, changesSite, recipeOfNow } from './apply.ts';
import type { Built } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Recipe } from '../model/recipe.ts';

const config = (change: Partial<DeploymentConfig> = {}): DeploymentConfig => ({
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
  publicEndpoints: [],
  ...change,
});
const recipe = (change: Partial<Recipe> = {}): Recipe => ({
  installCommand: 'npm ci',
  buildCommand: null,
  startCommand: 'npm start',
  releaseCommand: null,
  outputDirectory: null,
  fallback: null,
  image: null,
  ...change,
});
const image = (dockerfile: { path: string } | { text: string }): Partial<Recipe> => ({
  image: { context: '', dockerfile, dockerignore: null, site: null, port: { said: null, likely: 8080 } },
});
const ofImage: Built = { kind: 'image', image: 'shop', imageId: 'sha256:1', bytes: 1, port: 3000 };
const variable = (key: string, value: string, buildTime = false) => ({ key, value, secret: true, buildTime });
const reasons = (
  before: Partial<DeploymentConfig>,
  after: Partial<DeploymentConfig>,
  made: Partial<Recipe> = {},
  built?: Built,
) => buildReasons({ before: config(before), after: config(after), recipe: recipe(made), built });

it('needs no build for run-time settings', () => {
  const after = {
    variables: [variable('A', '1')],
    healthCheck: { type: 'http' as const, path: '/up', timeoutSeconds: 5 },
    memoryBytes: 1,
    cpus: 2,
    readOnly: true,
    port: 4000,
    startCommand: 'node other.js',
    releaseCommand: 'node migrate.js',
    slug: 'store',
  };
  expect(reasons({}, after)).toEqual([]);
  expect(reasons({}, after, image({ path: 'Dockerfile' }), ofImage)).toEqual([]);
});

it('needs a build for changed build inputs, and names them', () => {
  const after = { rootDirectory: 'web', buildCommand: 'make', variables: [variable('API', '2', true)] };
  const before = { variables: [variable('API', '1', true), variable('OLD', '1', true), variable('A', '1')] };
  expect(reasons(before, after)).toEqual(['rootDirectory', 'buildCommand', 'the variable API', 'the variable OLD']);
});

it('needs a build for settings that only detection or a generated Dockerfile knows', () => {
  expect(reasons({ startCommand: 'x' }, {})).toEqual(['startCommand']);
  expect(reasons({}, { startCommand: 'x' }, { startCommand: null, outputDirectory: 'dist' })).toEqual(['startCommand']);
  expect(reasons({}, { startCommand: 'x' }, image({ text: 'FROM scratch' }), ofImage)).toEqual(['startCommand']);
  expect(reasons({ releaseCommand: 'x' }, {})).toEqual(['releaseCommand']);
  expect(reasons({ port: 80 }, {}, image({ path: 'Dockerfile' }), ofImage)).toEqual(['port']);
  expect(reasons({ port: 80 }, {})).toEqual([]);
});

it('starts the artifact with the current commands and port', () => {
  expect(recipeOfNow(recipe(), config({ startCommand: 'x' }))).toMatchObject({ startCommand: 'x' });
  expect(recipeOfNow(recipe(), config())).toEqual(recipe());
  expect(builtOfNow(ofImage, config({ port: 4000 }))).toMatchObject({ port: 4000 });
  expect(builtOfNow(ofImage, config())).toEqual(ofImage);
});

it('does nothing for a site unless its addresses change', () => {
  expect(changesSite({ before: config(), after: config({ variables: [variable('A', '1')] }) })).toBe(false);
  expect(changesSite({ before: config(), after: config({ slug: 'store' }) })).toBe(true);
  expect(changesSite({ before: config(), after: config({ publicEndpoints: [{ domain: 'x' }] }) })).toBe(true);
});
