import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { domainToASCII } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/http/define-route.ts';
import { type Answer, ownerToken, startApp, type TestApp } from './rig/app.ts';
import { newFolder } from './rig/children.ts';
import { databaseKinds } from './rig/databases.ts';
import { newCanary, oddText, oddTexts } from './rig/odd-input.ts';
import { almost, at, schemaOf, type TextField, textFields, withText } from './rig/schema-walk.ts';

const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Record<string, unknown> }).data;
const isProject = (route: Route) => /^(POST|PATCH) \/api\/projects(\/ensure|\/:id)?$/.test(nameOf(route));

const thoroughness = process.env['MOORING_TEST_FULL'] === '1' ? 12 : 1;

describe.each(databaseKinds)('odd input on %s', { timeout: 60_000 * thoroughness }, (kind) => {
  const canary = newCanary();
  const hostile = fc.oneof(fc.constantFrom(...canary.values, ...oddTexts), oddText);
  const numRuns = (kind === 'sqlite' ? 500 : 150) * thoroughness;
  let app: TestApp;
  let ids: Record<string, string>;
  /** By name, so that a failure is described briefly. */
  let fields: Record<string, { route: Route; field: TextField }>;
  let made = 0;

  beforeAll(async () => {
    app = await startApp(kind, { env: { MOORING_ANONYMOUS_REQUEST_LIMIT: '0' } });
    ids = await things(app);
    fields = Object.fromEntries(
      app.routes.flatMap((route) =>
        (route.body ? textFields(schemaOf(route.body)) : []).map((field) => [textName(route, field), { route, field }]),
      ),
    );
  });
  afterAll(async () => {
    await app.close();
    expect(canary.isAlive(), 'nothing that was sent was run').toBe(true);
  });

  const samples = () => ({
    name: `project ${++made}`,
    'source.owner': 'acme',
    'source.repo': 'shop',
    'source.url': 'http://127.0.0.1:1/x.git',
    'source.path': tmpdir(),
    'variables.KEY.value': 'x',
    'services.0.name': 'web',
    projectId: ids['projects'],
    projectName: `project ${made}`,
    serviceNames: ['web'],
    serverId: ids['machine'],
    sessionId: ids['uploads'],
    source: 'githost',
    response: 'approve',
    email: `${made}@example.com`,
    role: 'viewer',
    password: 'long enough',
    permissions: '*',
    variables: {},
    grants: [],
  });

  const send = (route: Route, body: unknown, id = ids[route.path.split('/')[2]!] ?? 'unknown_id', query = '') =>
    app.call(route.method, route.path.replace(/:\w+/g, encodeURIComponent(id.toWellFormed())) + query, {
      token: ownerToken,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  /** Nothing is a server error, and every rejection has the usual form and a reason. */
  const expectSane = (what: string, { status, text, body, headers }: Answer) => {
    // A server without a listener.
    const isAway = status === 502 && text.includes('"runtime_unavailable"');
    expect([what, status < 500 || status === 503 || isAway, status < 500 || isAway ? '' : text]).toEqual([
      what,
      true,
      '',
    ]);
    // HTML pages have their own error texts.
    if (status < 400 || String(headers['content-type']).startsWith('text/html')) return;
    expect(body).toMatchObject({
      success: false,
      error: expect.any(String) as string,
      code: expect.any(String) as string,
    });
    expect(text, what).not.toMatch(/SQLITE|constraint|syntax error|\bat \/|node_modules/i);
  };

  it('covers every string of every body', () => {
    for (const each of [
      'POST /api/projects git source.url',
      'PATCH /api/projects/:id healthCheck.path',
      'PATCH /api/projects/:id/variables variables.KEY.value',
      'POST /api/deployments/build/access envVars.KEY',
      'POST /api/deployments/prepare path',
      'POST /api/deployments/:id/build/respond promptId',
      'POST /api/migration/scan serverId',
      'POST /api/migration/adopt projectName',
    ])
      expect(Object.keys(fields)).toContain(each);
  });

  it('in any string of any body is rejected or returned unchanged', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(fields)), hostile, async (name, value) => {
        const { route, field } = fields[name]!;
        const answer = await send(route, withText(samples(), field, value));
        expectSane(name, answer);
        if (name.endsWith('url')) expect(answer.text).not.toContain('hunter2');
        if (answer.status >= 300 || !isProject(route)) return;
        const { project_id, data } = answer.body as unknown as { project_id?: string; data?: { id: string } };
        const shown = dataOf(await app.call('GET', `/api/projects/${data?.id ?? project_id}`, { token: ownerToken }));
        expect(at(shown, field.path)).toEqual(normal(field, value));
      }),
      { numRuns },
    ));

  it('as the value of a variable is rejected by name or returned unchanged', () =>
    fc.assert(
      fc.asyncProperty(hostile, fc.boolean(), async (value, isObject) => {
        const path = `/api/projects/${ids['projects']}/variables`;
        const body = JSON.stringify({ variables: { ODD: isObject ? { value } : value } });
        const answer = await app.call('PATCH', path, { token: ownerToken, body });
        expectSane('a variable', answer);
        if (answer.status === 200) {
          const list = dataOf(await app.call('GET', path, { token: ownerToken })) as unknown as Record<
            string,
            string
          >[];
          expect(list.find(({ key }) => key === 'ODD')!['value']).toBe(value);
        } else expect(answer.text).toContain('variables.ODD');
      }),
      { numRuns: 100 * thoroughness },
    ));

  it('in any part of a path or query causes no server error', () => {
    const places = new Map(
      app.routes.filter((route) => route.query || route.path.includes(':')).map((route) => [nameOf(route), route]),
    );
    return fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places.keys()),
        fc.nat(9),
        fc.array(hostile, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        async (name, which, values, inPath) => {
          const route = places.get(name)!;
          const names = Object.keys(schemaOf(route.query ?? route.params!).properties ?? {});
          const [value = ''] = values;
          const encode = (text: string) => encodeURIComponent(text.toWellFormed());
          const query = values.map((each) => `${names[which % names.length]}=${encode(each)}`).join('&');
          const isOdd = inPath || route.method === 'DELETE';
          const id = isOdd && route.path.includes(':') ? value || ' ' : undefined;
          expectSane(`${name} ${query}`, await send(route, undefined, id, route.query ? `?${query}` : ''));
        },
      ),
      { numRuns },
    );
  });

  it('that almost fits a schema causes no server error', () => {
    const routes = new Map(
      app.routes
        .filter((route) => route.body && !/\/auth\/|accept/.test(route.path))
        .map((route) => [nameOf(route), route]),
    );
    const sent = fc.constantFrom(...routes.keys()).chain((name) => {
      const body = almost(schemaOf(routes.get(name)!.body!), undefined, Object.values(ids));
      return body.map((each) => [name, each] as const);
    });
    return fc.assert(
      fc.asyncProperty(sent, async ([name, body]) => expectSane(name, await send(routes.get(name)!, body))),
      { numRuns },
    );
  });
});

const textName = (route: Route, { path, around, isName }: TextField): string => {
  const variant = at(around, ['source', 'type']);
  return [nameOf(route), variant, path.join('.'), isName && 'name'].filter(Boolean).join(' ');
};

/** Documented normalizations; every other value stays as sent. */
function normal({ path }: TextField, value: string): unknown {
  const field = path.join('.');
  if (field === 'name') return value.trim();
  if (field.endsWith('omain')) return domainToASCII(value.trim().replace(/\.$/, '')) || value;
  if (field.endsWith('targetPath')) return `/${value.split('/').filter(Boolean).join('/')}`;
  if (field.endsWith('.port')) return Number(value);
  if (field.endsWith('Directory'))
    return (
      value
        .split('/')
        .filter((name) => name && name !== '.')
        .join('/') || '.'
    );
  return value;
}

/** One resource of each kind that a path can name. */
async function things(app: TestApp): Promise<Record<string, string>> {
  const post = async (path: string, body: object) =>
    (await app.call('POST', path, { token: ownerToken, body })).body as unknown as Record<string, string>;
  const source = { type: 'local', path: newFolder('source') };
  const { project_id: projectId } = await post('/api/projects/ensure', { name: 'odd', source });
  const { deployment_id } = await post('/api/deployments/build/access', { projectId, autoStart: false });
  // Ended, so that its stream has an end.
  await post(`/api/deployments/${deployment_id}/cancel`, {});
  const { sessionId } = await post('/api/projects/folder/session', { projectId });
  // Nothing listens there, and the address is not usable for redirection.
  const place = { host: '127.0.0.1', port: 1, user: 'odd', password: 'x' };
  const { data } = await post('/api/servers', { name: 'odd', ...place });
  const { id: machine } = data as unknown as { id: string };
  return { machine, projects: projectId!, deployments: deployment_id!, uploads: sessionId! };
}
