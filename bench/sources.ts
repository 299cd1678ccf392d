import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-source-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const manifest = (scripts: object) => JSON.stringify({ name: 'bench', version: '1.0.0', scripts });
const lock = JSON.stringify({
  name: 'bench',
  version: '1.0.0',
  lockfileVersion: 3,
  requires: true,
  packages: { '': { name: 'bench', version: '1.0.0' } },
});
const server = (text: string) =>
  `require('node:http').createServer((q, r) => r.end(${JSON.stringify(text)})).listen(process.env.PORT, process.env.HOST)`;

export const siteFolder = (text: string): string => folderOf({ 'index.html': `<p>${text}</p>` });

export const smallApp = (text: string): string =>
  folderOf({
    'package.json': manifest({ start: 'node server.js' }),
    'package-lock.json': lock,
    'server.js': server(text),
  });

/** A site whose build prints `lines` lines, all at once or one every `everyMs`. */
export const noisyApp = (lines: number, everyMs = 0): string =>
  folderOf({
    'package.json': manifest({ build: 'node build.js' }),
    'index.html': '<p>noisy</p>',
    'build.js': everyMs
      ? `let i = 0; const t = setInterval(() => { console.log('line number ' + ++i); if (i === ${lines}) clearInterval(t); }, ${everyMs});`
      : `for (let i = 1; i <= ${lines}; i++) console.log('line number ' + i);`,
  });
