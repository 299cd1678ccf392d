import { describe, expect, it } from 'vitest';
import { exampleNames, isExampleOnly } from '../../detect/facts/variables.ts';
import { mistakesOf, projectOf, serviceFile, warningsOf } from '../compose-rig.ts';

const environmentOf = async (files: Record<string, string>, environment: Record<string, string> = {}) =>
  (await projectOf(files, { environment })).services[0]!.environment;

describe('a missing env_file', () => {
  const compose = serviceFile('env_file: app.env');

  it('is filled with the variables of the project, except settings of Docker Compose', async () => {
    const given = { A: '1', COMPOSE_PROFILES: 'x' };
    expect(await environmentOf({ 'compose.yaml': compose }, given)).toEqual({ A: '1' });
    expect(await warningsOf({ 'compose.yaml': compose })).toEqual([
      'compose.yaml:4: env_file: app.env does not exist in the source; the service gets the variables of the project',
    ]);
  });

  it('gets the rest from the example beside it, without secrets and placeholders', async () => {
    const example =
      'MODE=fast\nDB_PASSWORD=postgres\nDOMAIN=<your domain>\nEMPTY=\nA=example\nAUTH_URL=http://web:80\n';
    const files = { 'compose.yaml': compose, 'app.env.sample': example };
    const expected = { MODE: 'fast', EMPTY: '', A: '1', AUTH_URL: 'http://web:80' };
    expect(await environmentOf(files, { A: '1' })).toEqual(expected);
    expect((await warningsOf(files)).join()).toContain(
      'values of app.env.sample for others. Not set: DB_PASSWORD, DOMAIN',
    );
    expect((await warningsOf(files, { environment: { DB_PASSWORD: 'x' } })).join()).toContain('Not set: DOMAIN');
  });

  it('does not override another file by its example', async () => {
    const files = {
      'compose.yaml': serviceFile('env_file: [common.env, app.env]'),
      'common.env': 'HOST=db\nA=common\n',
      'app.env.example': 'HOST=localhost\nMODE=fast\n',
    };
    expect(await environmentOf(files, { A: '1' })).toEqual({ HOST: 'db', MODE: 'fast', A: '1' });
  });

  it('does not depend on an example that is broken', async () => {
    const files = { 'compose.yaml': compose, 'app.env.example': 'A B=1\n' };
    expect(await environmentOf(files)).toEqual({});
    expect(await warningsOf(files)).toContainEqual(
      'app.env.example:1: the example is not used: the name of a variable cannot contain a space',
    );
  });

  it('is read once for many services', async () => {
    const services = Array.from({ length: 150 }, (_, i) => `s${i}: {image: x, env_file: .env}`);
    const files = { 'compose.yaml': `services: {${services.join(', ')}}`, '.env.example': 'A=1' };
    expect((await projectOf(files)).services.at(-1)!.environment).toEqual({ A: '1' });
  });
});

describe('a missing .env', () => {
  const compose = serviceFile('environment: {A: "$A", B: "${B:-own}", C: "${C}"}');

  it('is replaced by its example for variables that are not set and have no default', async () => {
    const files = { 'compose.yaml': compose, 'example.env': 'A=1\nB=2\nC=3\n' };
    expect(await environmentOf(files, { C: 'x' })).toEqual({ A: '1', B: 'own', C: 'x' });
    expect(await warningsOf(files, { environment: { C: 'x' } })).toEqual([
      'example.env: these variables are not set and get their value of this file: A',
    ]);
  });

  it('has no example if it exists', async () => {
    const files = { 'compose.yaml': compose, '.env': 'C=0', '.env.example': 'A=1' };
    expect(await environmentOf(files)).toEqual({ A: '', B: 'own', C: '0' });
  });

  it('leaves required variables to the user, and lists each once', async () => {
    const file = serviceFile('image: "${A:?}-${B:?say so}"\ncommand: "${A:?}"');
    expect(await mistakesOf({ 'compose.yaml': file.replace('    image: x\n', ''), '.env.example': 'A=1' })).toEqual([
      'compose.yaml:3: the variable A is required and has no value',
      'compose.yaml:3: the variable B is required and has no value: say so',
    ]);
  });
});

it('names the variable that an error comes from', async () => {
  expect(await mistakesOf(serviceFile('volumes: ["${UPLOADS}:/data"]'))).toEqual([
    'compose.yaml:4: services.a.volumes: :/data: must be [source:]target[:options]. The variable UPLOADS is not set',
  ]);
});

it('knows the usual names of examples', () => {
  const of = (name: string) => exampleNames(name);
  expect(of('.env')).toEqual(expect.arrayContaining(['.env.example', 'example.env', 'env.example', 'env.template']));
  expect(of('.env.production')).toEqual(expect.arrayContaining(['.env.production.sample', '.env.example']));
  expect(of('stack.env')).toEqual(expect.arrayContaining(['stack.env.example', '.env.example']));
  expect(of('.db.env')).toEqual(expect.arrayContaining(['db.env.example', '.db.env.sample']));
  expect(of('.db.env')).not.toContain('.env.example');
});

it.each([
  ['DB_PASSWORD', 'postgres', true],
  ['SECRET_KEY', '', true],
  ['DOMAIN', 'changeme', true],
  ['TOKEN_LIFETIME', '30', false],
  ['CERT_PATH', './volumes/cert.pem', false],
  ['DATABASE_URL', 'postgres://a:b@db/x', true],
  ['PORT', '8080', false],
])('judges %s=%s of an example', (key, value, expected) => expect(isExampleOnly(key, value)).toBe(expected));
