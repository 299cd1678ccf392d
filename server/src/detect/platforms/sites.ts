import { readJson } from '../json.ts';
import { child, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { commands, folderPath, type Read, records, scalar, unread, variablesIn } from './settings.ts';

export const vercel: Read = async (tree, file) => {
  const settings = await readJson(tree, file);
  const rewrites = records(settings['rewrites']);
  const isFallback = ({ source, destination }: Json) =>
    /^\/(\(|:\w+\*|\*)/.test(scalar(source) ?? '') && ['/', '/index.html'].includes(scalar(destination) ?? '');
  return {
    install: commands(settings['installCommand']),
    build: commands(settings['buildCommand']),
    outputDirectory: folderPath(settings['outputDirectory']) ?? null,
    fallback: rewrites.some(isFallback) ? 'index.html' : null,
    variables: new Map([...variablesIn(child(settings, 'build', 'env')), ...variablesIn(child(settings, 'env'))]),
    ignored: [
      ...unread(settings, [...vercelRead, 'rewrites']),
      ...(rewrites.some((each) => !isFallback(each)) ? ['rewrites'] : []),
    ],
  };
};

const vercelRead = [
  'installCommand buildCommand outputDirectory env build framework version',
  'name devCommand github public git ignoreCommand',
].flatMap((line) => line.split(' '));

/** Settings of the production context override the others. */
export const netlify: Read = async (tree, file) => {
  const settings = (await readToml(tree, file)) ?? {};
  const production = child(settings, 'context', 'production');
  const build: Json = { ...child(settings, 'build'), ...production };
  const variables = {
    ...child(settings, 'build', 'environment'),
    ...child(production, 'environment'),
  };
  const redirects = records(settings['redirects']);
  const isFallback = ({ from, to, status }: Json) => from === '/*' && to === '/index.html' && Number(status) === 200;
  const flags = scalar(variables['NPM_FLAGS']);
  const base = folderPath(build['base']);
  return {
    ...(base && { rootDirectory: base }),
    ...(flags && /^(--[\w=-]+ ?)+$/.test(flags) && { install: [`npm install ${flags}`.trim()] }),
    build: commands(build['command']),
    outputDirectory: folderPath(build['publish']) ?? null,
    fallback: redirects.some(isFallback) ? 'index.html' : null,
    variables: variablesIn(Object.fromEntries(Object.entries(variables).filter(([key]) => key !== 'NPM_FLAGS'))),
    ignored: [
      ...unread(settings, ['build', 'context', 'redirects', 'dev', 'template']),
      ...unread(build, ['command', 'publish', 'base', 'environment', 'ignore', 'processing'], 'build.'),
      ...(redirects.some((each) => !isFallback(each)) ? ['redirects'] : []),
    ],
  };
};
