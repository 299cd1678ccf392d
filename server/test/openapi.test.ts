import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { docsPage } from '../src/http/docs-page.ts';

const text = readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8');

describe('the OpenAPI document', () => {
  it('passes redocly lint', async () => {
    const config = await createConfig('extends: [recommended]');
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  it('names the permission of every operation', () => {
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { 'x-permission'?: string }>> };
    for (const [path, methods] of Object.entries(paths))
      for (const operation of Object.values(methods)) expect(operation['x-permission'], path).toBeTruthy();
  });

  it('renders as a page that loads nothing from other hosts', () => {
    const page = docsPage(JSON.parse(text));
    expect(page).toContain('/api/tokens/{id}');
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(/);
    for (const [, target] of page.matchAll(/(?:src|href)="([^"]+)"/g)) expect(target).toMatch(/^(#|\/api\/)/);
  });

  it('escapes its texts', () => {
    const document = JSON.parse(text) as { info: { description: string } };
    document.info.description = '<script>alert(1)</script>';
    expect(docsPage(document as never)).not.toContain('<script>');
  });
});
