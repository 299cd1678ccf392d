import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface PackageIndex {
  /** Value of `PIP_INDEX_URL`. */
  url: string;
  /** Names of the files that were downloaded since the last call. */
  downloads(): string[];
  close(): void;
}

/** Serves the wheels of a folder as a Python package index, with the caching headers of PyPI. */
export async function startPackageIndex(folder: string): Promise<PackageIndex> {
  let downloaded: string[] = [];
  const server = createServer((request, response) => {
    const [, kind, name = ''] = request.url!.split('/');
    const wheels = readdirSync(folder);
    const listed = wheels.filter((wheel) => projectOf(wheel) === name);
    if (kind === 'files' && wheels.includes(name)) {
      downloaded.push(name);
      response.setHeader('cache-control', 'max-age=365000000, immutable, public').end(readFileSync(join(folder, name)));
    } else if (kind === 'simple' && listed.length)
      response.setHeader('content-type', 'text/html').end(listed.map(linkTo).join('\n'));
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/`,
    downloads() {
      const since = downloaded;
      downloaded = [];
      return since;
    },
    close: () => server.close(),
  };
}

const projectOf = (wheel: string) => wheel.split('-')[0]!.toLowerCase().replaceAll('_', '-');
const linkTo = (wheel: string) => `<a href="/files/${wheel}">${wheel}</a>`;
