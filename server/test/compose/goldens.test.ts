import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderTree } from '../../src/detect/folder-tree.ts';
import { parseCompose } from '../../src/compose/index.ts';
import { projectAsConfig } from './as-config.ts';
import { caseNames, caseOptions, filesFolder } from './cases.ts';
import { golden } from './golden.ts';

describe('our parser matches Docker Compose', () => {
  it.each(caseNames())('%s', async (name) => {
    // Docker Compose names a project after its folder, which is the source's root here.
    const project = await parseCompose(folderTree(join(filesFolder, name)), caseOptions(name));
    const ours = { ...projectAsConfig(project), ...(project.name === 'app' && { name }) };
    expect(ours).toEqual(golden(name, { NPM_TOKEN: 'abc' }));
  });

  it('for many kinds of stacks', () => expect(caseNames().length).toBeGreaterThanOrEqual(25));

  it('with goldens that do not depend on the machine', () => {
    const texts = caseNames().map((name) => readFileSync(join(filesFolder, name, 'expect.json'), 'utf8'));
    expect(texts.join('')).not.toMatch(/"(source|context|file)": "\/(tmp|root|work|usr|home\/(?!somebody))/);
  });
});
