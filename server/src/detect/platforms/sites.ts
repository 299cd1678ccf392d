import { readJson } from '../json.ts';
import { childRecord, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import {
  commandTexts,
  folderPath,
  type ReadPlatformFile,
  recordList,
  scalarText,
  unreadSettings,
  variablesIn,
} from './settings.ts';

export const vercel: ReadPlatformFile = async (tree, file) => {
  const settings = await readJson(tree, file);
  const rewrites = recordList(settings['rewrites']);
  const isFallback = ({ source, destination }: Json) =>
    /^\/(\(|:\w+\*|\*)/.test(scalarText(source) ?? '') && ['/', '/index.html'].includes(scalarText(destination) ?? '');
  return {
    install: commandTexts(settings['installCommand']),
    build: commandTexts(settings['buildCommand']),
    outputDirectory: folderPath(settings['outputDirectory']) ?? null,
    fallback: rewrites.some(isFallback) ? 'index.html' : null,
    variables: new Map([
      ...variablesIn(childRecord(settings, 'build', 'env')),
      ...variablesIn(childRecord(settings, 'env')),
    ]),
    ignored: [
      ...unreadSettings(settings, [...vercelRead, 'rewrites']),
      ...(rewrites.some((each) => !isFallback(each)) ? ['rewrites'] : []),
    ],
  };
};

const vercelRead = [
  'installCommand buildCommand outputDirectory env build framework version',
  'name devCommand github public git ignoreCommand',
].flatMap((line) => line.split(' '));

/** Settings of the production context override the others. */
export const netlify: ReadPlatformFile = async (tree, file) => {
  const settings = (await readToml(tree, file)) ?? {};
  const production = childRecord(settings, 'context', 'production');
  const build: Json = { ...childRecord(settings, 'build'), ...production };
  const variables = {
    ...childRecord(settings, 'build', 'environment'),
    ...childRecord(production, 'environment'),
  };
  const redirects = recordList(settings['redirects']);
  const isFallback = ({ from, to, status }: Json) => from === '/*' && to === '/index.html' && Number(status) === 200;
  const flags = scalarText(variables['NPM_FLAGS']);
  const base = folderPath(build['base']);
  return {
    ...(base && { rootDirectory: base }),
    ...(flags && /^(--[\w=-]+ ?)+$/.test(flags) && { install: [`npm install ${flags}`.trim()] }),
    build: commandTexts(build['command']),
    outputDirectory: folderPath(build['publish']) ?? null,
    fallback: redirects.some(isFallback) ? 'index.html' : null,
    variables: variablesIn(Object.fromEntries(Object.entries(variables).filter(([key]) => key !== 'NPM_FLAGS'))),
    ignored: [
      ...unreadSettings(settings, ['build', 'context', 'redirects', 'dev', 'template']),
      ...unreadSettings(build, ['command', 'publish', 'base', 'environment', 'ignore', 'processing'], 'build.'),
      ...(redirects.some((each) => !isFallback(each)) ? ['redirects'] : []),
    ],
  };
};
