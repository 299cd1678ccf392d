import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { folderOf } from './deploy.ts';

type Package = { archive: Buffer; integrity: string };

export interface SmallRegistry {
  url: string;
  /** Paths that were requested since the last call. */
  requests(): string[];
  /** Publishes a package with these files; `integrity` is the one that the registry names. */
  publish(name: string, version: string, files: Record<string, string>, integrity?: string): void;
  /** What it does with the next downloads: nothing special, a status, or a cut after some bytes. */
  trouble: { status?: number; times: number; cutAt?: number };
  close(): void;
}

/** Starts a registry that has only what a test publishes. */
export async function startRegistry(): Promise<SmallRegistry> {
  const packages = new Map<string, Map<string, Package>>();
  const requests: string[] = [];
  const documentOf = (name: string, version: string | undefined): object | undefined => {
    const versions = packages.get(name);
    const distOf = ([each, { integrity }]: [string, Package]) =>
      [each, { dist: { tarball: `${registry.url}/-/${name}@${each}.tgz`, integrity } }] as const;
    const all = Object.fromEntries([...(versions ?? [])].map(distOf));
    return version === undefined ? versions && { versions: all } : all[version];
  };
  const sendArchive = (archive: Buffer, response: ServerResponse) => {
    const { trouble } = registry;
    if (trouble.cutAt === undefined || trouble.times-- <= 0) return response.end(archive);
    response.writeHead(200, { 'content-length': archive.length }).write(archive.subarray(0, trouble.cutAt));
    return setTimeout(() => response.destroy(), 20);
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    requests.push(path);
    const { trouble } = registry;
    if (trouble.status && trouble.times-- > 0) return response.writeHead(trouble.status).end();
    const [, archiveName = '', archiveVersion = ''] = /^-\/(.+)@([^@]+)\.tgz$/.exec(path) ?? [];
    const found = packages.get(archiveName)?.get(archiveVersion);
    if (found) return sendArchive(found.archive, response);
    const [, name = path, version] = /^(.+)\/(\d[^/]*)$/.exec(path) ?? [];
    const document = documentOf(name, version);
    return response.writeHead(document ? 200 : 404).end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const registry: SmallRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests.splice(0),
    publish(name, version, files, integrity) {
      const inside = Object.entries(files).map(([path, content]) => [`package/${path}`, content]);
      const folder = folderOf(Object.fromEntries(inside) as Record<string, string>);
      const archive = execFileSync('tar', ['-C', folder, '-czf', '-', 'package']);
      const own = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
      const versions = packages.get(name) ?? new Map<string, Package>();
      packages.set(name, versions.set(version, { archive, integrity: integrity ?? own }));
    },
    trouble: { times: 0 },
    close: () => server.close(),
  };
  return registry;
}
