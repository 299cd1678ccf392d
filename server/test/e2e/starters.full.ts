import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, ended, ensureProject, events, folderOf } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Service, startService } from '../rig/service.ts';
import { isReachable } from '../rig/way-out.ts';
import { type Starter, starters } from './starter-apps.ts';

const hasRegistry = await isReachable('https://registry.npmjs.org/npm');
const authority = process.env['NODE_EXTRA_CA_CERTS'];

const folderFor = ({ name, package: fields, files }: Starter): string =>
  folderOf({ 'package.json': JSON.stringify({ name, version: '1.0.0', private: true, ...fields }), ...files });

describe.runIf(hasRegistry)('starters, from source to page', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: authority ? { NODE_EXTRA_CA_CERTS: authority } : {} });
  });
  afterAll(() => service?.stop());

  it.each(starters.map((starter) => [starter.name, starter] as const))(
    '%s',
    async (name, starter) => {
      const began = Date.now();
      const id = await begin(service, await ensureProject(service, name), folderFor(starter));
      const { error, urls } = await ended(service, id, 880_000);
      const lines = (await events(service, id)).map(({ data }) => data['line']).filter(Boolean);
      expect(error, lines.slice(-40).join('\n')).toBeNull();
      const { status, body } = await ask(urls[0]!);
      expect(status, lines.slice(-40).join('\n')).toBe(200);
      expect(body).toContain(starter.text);
      await starter.check?.(urls[0]!);
      sayFigures(name, { fromSourceToAnswerMs: Date.now() - began });
    },
    900_000,
  );
});
