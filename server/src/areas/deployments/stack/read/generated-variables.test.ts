import { describe, expect, it } from 'vitest';
import { serviceFile } from '../../../../compose/compose-rig.ts';
import { generatedValue } from '../../../../compose/values/generated.ts';
import { badRequest } from '../../../../errors.ts';
import { endpointsOf } from '../endpoints/endpoints.ts';
import { folderWith, type StackOverrides, readTestStack, testStackError } from './stack-rig.ts';

const stackOf = async (file: string, given: StackOverrides = {}) =>
  (await readTestStack(folderWith({ 'compose.yaml': file }), given))!;
const variable = (key: string, value: string) => ({ key, value, secret: true, buildTime: false });

describe('generated variables', () => {
  const file = serviceFile(
    'environment:\n  A: $SERVICE_PASSWORD_DB\n  B: "${SERVICE_PASSWORD_DB:-none}"\n  C: ${SERVICE_USER_DB}',
  );

  it('are made once, kept as variables, and redacted', async () => {
    const kept: Record<string, string>[] = [];
    const keepVariables = async (values: Record<string, string>) => {
      kept.push(values);
      return { ...values, SERVICE_USER_DB: 'stored before' };
    };
    const { stack, warnings } = await stackOf(file, { keepVariables });
    const { A, B, C } = stack.project.services[0]!.environment;
    expect(Object.keys(kept[0]!)).toEqual(['SERVICE_PASSWORD_DB', 'SERVICE_USER_DB']);
    expect([A, B, C]).toEqual([kept[0]!['SERVICE_PASSWORD_DB'], kept[0]!['SERVICE_PASSWORD_DB'], 'stored before']);
    expect(stack.secrets).toEqual([A, C]);
    expect(warnings).toEqual([]);
  });

  it('are refused with a hint if the project has too many variables', async () => {
    const keepVariables = () => Promise.reject(badRequest('variables: a project has at most 200'));
    expect(await testStackError(folderWith({ 'compose.yaml': file }), { keepVariables })).toMatchObject({
      code: 'too_many_variables',
      message: expect.stringContaining('a project has at most 200'),
      hint: expect.stringContaining('Remove variables'),
    });
  });

  it('are made if they are required', async () => {
    const { stack } = await stackOf(serviceFile('environment: {A: "${SERVICE_PASSWORD_DB:?set it}"}'));
    expect(stack.project.services[0]!.environment['A']).toMatch(/^[A-Za-z0-9]{32}$/);
  });

  it('are not made if they are set or have a default', async () => {
    const keepVariables = () => Promise.reject(new Error('nothing is generated'));
    const variables = [variable('SERVICE_PASSWORD_DB', 'own'), variable('SERVICE_USER_DB', 'me')];
    const { stack } = await stackOf(file, { keepVariables, config: { variables } });
    expect(stack.project.services[0]!.environment).toEqual({ A: 'own', B: 'own', C: 'me' });
    const other = await stackOf(serviceFile('environment: {A: "${SERVICE_USER_ID:-1000}"}'), { keepVariables });
    expect(other.stack.project.services[0]!.environment).toEqual({ A: '1000' });
  });

  it('are addresses of services, and their ports are public', async () => {
    const { stack } = await stackOf(
      [
        'services:',
        '  my-app:',
        '    image: x',
        '    environment: [SERVICE_FQDN_MYAPP_3000, SERVICE_URL_MYAPP_3000=/api, "SELF=$SERVICE_URL_MYAPP"]',
        '  admin:',
        '    image: x',
        '    environment: [SERVICE_URL_ADMIN_8080, "API=${SERVICE_FQDN_MYAPP}"]',
      ].join('\n'),
    );
    const [app, admin] = stack.project.services;
    expect(app!.environment).toEqual({
      SERVICE_FQDN_MYAPP_3000: 'shop.example.com',
      SERVICE_URL_MYAPP_3000: 'https://shop.example.com/api',
      SELF: 'https://shop.example.com',
    });
    expect(admin!.environment).toEqual({
      SERVICE_URL_ADMIN_8080: 'https://admin.shop.example.com',
      API: 'shop.example.com',
    });
    const endpoints = endpointsOf(stack.project.services, [], { label: 'shop', baseDomain: 'example.com' });
    expect(endpoints.map(({ host, port }) => `${host} ${port}`)).toEqual([
      'shop.example.com 3000',
      'admin.shop.example.com 8080',
    ]);
  });

  it.each([
    ['SERVICE_PASSWORD_X', /^[A-Za-z][A-Za-z0-9]{31}$/],
    ['SERVICE_PASSWORD_64_X_Y', /^[A-Za-z][A-Za-z0-9]{63}$/],
    ['SERVICE_USER_X', /^[A-Za-z][A-Za-z0-9]{15}$/],
    ['SERVICE_BASE64_64_X', /^[A-Za-z0-9]{64}$/],
    ['SERVICE_REALBASE64_X', /^[A-Za-z0-9+/]{43}=$/],
    ['SERVICE_HEX_32_X', /^[0-9a-f]{64}$/],
  ])('%s has its form', (name, form) => {
    const value = generatedValue(name);
    expect(value?.is === 'random' && value.make()).toMatch(form);
  });

  it.each(['SERVICE_NAME', 'SERVICE_PASSWORD_', 'MY_SERVICE_PASSWORD_X', 'SERVICE_URL', 'service_url_x'])(
    '%s is none',
    (name) => expect(generatedValue(name)).toBeUndefined(),
  );
});

it('binds files whose content is in the compose file', async () => {
  const mount = '{type: bind, source: ./run.sh, target: /run.sh, content: "#!/bin/sh"}';
  const texts: unknown[] = [];
  const digestOfText = async (...given: unknown[]) => `text ${texts.push(given)}`;
  const { stack } = await stackOf(serviceFile(`volumes: [${mount}]`), { digestOfText });
  expect([stack.contents, texts]).toEqual([
    { 'run.sh': 'text 1' },
    [['#!/bin/sh', { uid: null, gid: null, mode: 0o755 }]],
  ]);
});

it('creates volumes that are not declared if the file has no section for them', async () => {
  const { stack, warnings } = await stackOf(serviceFile('volumes: ["data:/data"]'));
  expect(stack.project.volumes.map(({ name }) => name)).toEqual(['data']);
  expect(warnings[0]!.message).toBe('there is no section volumes; these volumes are created: data');
  const typo = `${serviceFile('volumes: ["dta:/data"]')}volumes: {data: }\n`;
  expect((await testStackError(folderWith({ 'compose.yaml': typo }))).message).toContain(
    'there is no volume dta under volumes',
  );
});

it('follows the blueprint of a Dokploy stack', async () => {
  const template = [
    '[variables]',
    'main_domain = "${domain}"',
    'secret = "${password:20}"',
    'endless = "${first}"',
    'first = "${endless}"',
    'password = "${password:12}"',
    '[config.env]',
    'URL = "https://${main_domain}"',
    'SECRET = "${secret}"',
    'LOGIN = "${secret}@${main_domain}"',
    'TOKEN = "${jwt:secret}"',
    'LOOP = "${endless}"',
    'URL_AGAIN = "${URL}/again"',
    'JWT_KEY = "${jwt:16}"',
    '[[config.domains]]',
    'serviceName = "a"',
    'port = 3000',
    'host = "${main_domain}"',
    '[[config.mounts]]',
    'filePath = "/app.conf"',
    'content = "host ${main_domain}, password ${password}"',
  ].join('\n');
  const compose = serviceFile('env_file: .env\nvolumes: ["../files/app.conf:/app.conf"]');
  const kept: Record<string, string>[] = [];
  const keepVariables = async (values: Record<string, string>) => {
    kept.push(values);
    return values;
  };
  const folder = folderWith({ 'compose.yaml': compose, 'template.toml': template });
  const { stack } = (await readTestStack(folder, { keepVariables }))!;
  const { SECRET: secret, JWT_KEY, BLUEPRINT_PASSWORD: password } = kept[0]!;
  expect([secret, JWT_KEY, password]).toEqual([
    expect.stringMatching(/^[A-Za-z0-9]{20}$/),
    expect.stringMatching(/^[0-9a-f]{32}$/),
    expect.stringMatching(/^[A-Za-z0-9]{12}$/),
  ]);
  const random = { SECRET: secret, LOGIN: `${secret}@shop.example.com`, JWT_KEY, BLUEPRINT_PASSWORD: password };
  expect(kept).toEqual([random]);
  const [service] = stack.project.services;
  const url = 'https://shop.example.com';
  expect(service!.environment).toEqual({ URL: url, URL_AGAIN: `${url}/again`, ...random });
  expect(service!.ports.map(({ target }) => target)).toEqual([3000]);
  const content = `host shop.example.com, password ${password}`;
  expect(service!.mounts).toMatchObject([{ source: { isInside: true }, content }]);
  const later = (await readTestStack(folder, {
    config: { variables: [variable('BLUEPRINT_PASSWORD', 'as before')] },
  }))!;
  expect(later.stack.project.services[0]!.mounts).toMatchObject([
    { content: 'host shop.example.com, password as before' },
  ]);
});
