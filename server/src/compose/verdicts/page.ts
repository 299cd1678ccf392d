import { projectFields } from './project-fields.ts';
import { serviceFields } from './service-fields.ts';
import type { Verdicts } from './verdict.ts';

/** Returns the reference page `docs/reference/compose-fields.md`. */
export function composeFieldsPage(): string {
  return `# Compose fields

<!-- Printed from server/src/compose/verdicts by \`npm run generate\`. -->

Every field of a compose file and what happens to it; [Compose files](compose.md#what-happens-to-a-field) explains the verdicts.
Other fields are ignored with a warning. \`[]\` is an item of a list, \`*\` any name.

## Fields of a service

${rows(serviceFields)}

## Fields of the file

${rows(projectFields)}
`;
}

const shown = { 'carried out': 'supported', warned: 'ignored', refused: 'refused' };

const rows = (table: Verdicts): string =>
  [
    '| field | verdict | notes |',
    '| --- | --- | --- |',
    ...Object.entries(table).map(([field, verdict]) => {
      const note = verdict.is === 'carried out' ? (verdict.how ?? '') : verdict.why;
      return `| \`${field}\` | ${shown[verdict.is]} | ${note} |`;
    }),
  ].join('\n');
