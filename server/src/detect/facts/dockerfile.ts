import type { Detection, SourceTree } from '../detect.ts';

const folders = ['', 'docker', '.docker'];
const names = ['Dockerfile', 'dockerfile', 'Containerfile', 'Dockerfile.production', 'Dockerfile.prod'];

/** A Dockerfile is a fact, not a provider: its use depends on the runtime. Those of settings files come first. */
export async function findDockerfile(tree: SourceTree, declared: string[] = []): Promise<Partial<Detection>> {
  for (const path of declared) {
    const text = await tree.read(path);
    if (text !== undefined) return described(path, text);
  }
  for (const folder of folders) {
    const present = new Set(await tree.list(folder));
    const name = names.find((each) => present.has(each));
    if (!name) continue;
    const path = folder ? `${folder}/${name}` : name;
    return described(path, (await tree.read(path)) ?? '');
  }
  return {};
}

function described(path: string, text: string): Partial<Detection> {
  const port = exposedPort(text);
  const reason = `${path}: used instead of commands when Mooring runs on Docker`;
  return { dockerfile: path, port, reasons: [port === null ? reason : `${reason}; it exposes port ${port}`] };
}

/** The last stage runs, so its EXPOSE counts. */
function exposedPort(text: string): number | null {
  const ports = [...text.matchAll(/^[ \t]*EXPOSE[ \t]+(\d{1,5})/gim)].map((match) => Number(match[1]));
  const port = ports.at(-1) ?? 0;
  return port > 0 && port < 65536 ? port : null;
}
