import { defineCommand } from '../command.ts';
import { allProjects, type Project } from '../deployments/find.ts';
import { signedInClient } from '../instance.ts';
import { type Column, shortTime } from '../output.ts';

const columns: Column<Project>[] = [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'SLUG', value: ({ slug }) => slug },
  { heading: 'SOURCE', value: ({ source }) => sourceText(source) },
  { heading: 'CREATED', value: ({ createdAt }) => shortTime(createdAt) },
];

export const projects = defineCommand({
  name: 'projects',
  summary: 'List projects',
  async run({ out, instance }) {
    out.list(await allProjects(signedInClient(instance())), columns);
  },
});

function sourceText(source: Project['source']): string {
  if (source.type === 'githost') return `${source.owner}/${source.repo}`;
  if (source.type === 'git') return source.url;
  return source.type === 'local' ? source.path : source.type;
}
