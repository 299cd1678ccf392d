import type { ImagePlan } from '../model/recipe.ts';

/** Runs unprivileged and writes only to `/tmp`. */
const server = 'nginxinc/nginx-unprivileged:1.28-alpine';
const usualPort = 8080;

/** Serves a site from a web server in its image instead of the edge, so that other services can reach it. */
export function siteServer(
  { dockerfile, port }: ImagePlan,
  fallback: string | null,
): Pick<ImagePlan, 'dockerfile' | 'port'> {
  if (!('text' in dockerfile)) throw new Error('a site has a Dockerfile of ours');
  const listens = port.said ?? usualPort;
  const lines = settings(listens, fallback).map((line) => `'${line}'`);
  const stage = [
    `FROM ${server}`,
    'COPY --from=site /site /usr/share/nginx/html',
    `RUN printf '%s\\n' ${lines.join(' ')} > /etc/nginx/conf.d/default.conf`,
    `EXPOSE ${listens}`,
  ];
  const text = `${dockerfile.text.replace(/^FROM scratch$/m, 'FROM scratch AS site')}\n${stage.join('\n')}\n`;
  return { dockerfile: { text }, port: { said: listens, likely: listens } };
}

/** Matches how the edge serves sites: pages without their extension, and no hidden files. */
const settings = (port: number, fallback: string | null): string[] => [
  'server {',
  `  listen ${port};`,
  '  root /usr/share/nginx/html;',
  '  absolute_redirect off;',
  `  location / { try_files $uri $uri/ $uri.html ${isPlain(fallback) ? `/${fallback}` : '=404'}; }`,
  String.raw`  location ~ /\.(?!well-known(/|$)) { return 404; }`,
  '  error_page 404 /404.html;',
  '}',
];

/** The fallback comes from a file of the source, so it is not trusted. */
const isPlain = (path: string | null): path is string => path !== null && /^[\w][\w./-]*$/.test(path);
