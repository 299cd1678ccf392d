const text = (type: string) => `${type}; charset=utf-8`;

const types: Record<string, string> = {
  html: text('text/html'),
  htm: text('text/html'),
  css: text('text/css'),
  js: text('text/javascript'),
  mjs: text('text/javascript'),
  txt: text('text/plain'),
  md: text('text/markdown'),
  csv: text('text/csv'),
  vtt: text('text/vtt'),
  ics: text('text/calendar'),
  xml: text('application/xml'),
  rss: text('application/rss+xml'),
  atom: text('application/atom+xml'),
  json: 'application/json',
  map: 'application/json',
  jsonld: 'application/ld+json',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
};

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

export const contentTypeOf = (name: string): string => types[extensionOf(name)] ?? 'application/octet-stream';

/** Images, audio, video and archives are compressed already. */
const compressible =
  /^(text\/|application\/(\w+\+)?(json|xml)|application\/wasm|image\/(svg\+xml|bmp|x-icon)|font\/(ttf|otf))/;

export const isCompressible = (name: string): boolean => compressible.test(contentTypeOf(name));

export const isPage = (name: string): boolean => /\.html?$/i.test(name);

/** An asset: when it is missing, a fallback page in its place would only confuse the page that loads it. */
export const looksLikeAsset = (name: string): boolean => extensionOf(name) in types && !isPage(name);

const hash =
  /[.-](?:(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}|(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,})\.\w+(?:\.map)?$/;

/** Names with a content hash are immutable; everything else is revalidated. */
export function cacheControlOf(name: string): string {
  if (!isPage(name) && hash.test(name)) return 'public, max-age=31536000, immutable';
  return isPage(name) ? 'no-cache' : 'public, max-age=0, must-revalidate';
}
