import type { EngineClient } from '../runtime/docker/engine/client.ts';

/** Aliases of architectures. */
const otherNames: Record<string, string> = { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64', armhf: 'arm' };
/** Default variants. */
const usualVariants: Record<string, string> = { arm64: 'v8', amd64: 'v1', arm: 'v7' };

/** Returns the engine's platform, such as `linux/arm64`. */
export async function platformOf(engine: EngineClient): Promise<string> {
  const { Os, Arch } = await engine.json<{ Os: string; Arch: string }>({ method: 'GET', path: '/version' });
  return `${Os}/${Arch}`;
}

/** Returns the platforms of the Swarm's nodes, the manager's own first. */
export async function platformsOfNodes(engine: EngineClient): Promise<string[]> {
  type Node = { Description?: { Platform?: { OS: string; Architecture: string } } };
  const nodes = await engine.json<Node[]>({ method: 'GET', path: '/nodes' });
  const found = nodes.flatMap(({ Description }) => {
    const { OS, Architecture = '' } = Description?.Platform ?? {};
    return OS ? [`${OS}/${otherNames[Architecture] ?? Architecture}`] : [];
  });
  return [...new Set([await platformOf(engine), ...found])];
}

/** Whether two names mean the same platform: `linux/arm64/v8` and `aarch64` do. */
export const isSamePlatform = (one: string, other: string): boolean => fullName(one) === fullName(other);

/** Completes a name. A single part is an architecture on Linux, or the operating system. */
function fullName(platform: string): string {
  const parts = platform.toLowerCase().split('/');
  const [os, processor = '', variant] = parts.length === 1 && parts[0] !== 'linux' ? ['linux', ...parts] : parts;
  const name = Object.hasOwn(otherNames, processor) ? otherNames[processor]! : processor;
  return [os, name, variant ?? (Object.hasOwn(usualVariants, name) ? usualVariants[name] : '')].join('/');
}
