import { projectFields } from './project-fields.ts';
import { serviceFields } from './service-fields.ts';
import type { Verdicts } from './verdict.ts';

/** The reference page of the fields; `docs/reference/compose-fields.md` is printed from it. */
export function composeFieldsPage(): string {
  return `# Fields of a compose file

<!-- Printed from server/src/compose/verdicts by \`npm run generate\`. -->

[compose.md](compose.md) says what the columns mean. Fields that are not here, and any that begin with \`x-\`, are ignored;
the former with a warning. \`[]\` is an item of a list, \`*\` any name.

## Of a service

${rows(serviceFields)}

## Of the file

${rows(projectFields)}
`;
}

const rows = (table: Verdicts): string =>
  [
    '| field | verdict | |',
    '| --- | --- | --- |',
    ...Object.entries(table).map(([field, verdict]) => {
      const note = verdict.is === 'carried out' ? (verdict.how ?? '') : verdict.why;
      return `| \`${field}\` | ${verdict.is === 'warned' ? 'ignored' : verdict.is} | ${note} |`;
    }),
  ].join('\n');
