import { readFileSync } from 'node:fs';

/** Programs that the npm registry has for every machine. */
export const toolNames = ['node', 'npm', 'pnpm', 'yarn', 'bun', 'deno'] as const;
export type ToolName = (typeof toolNames)[number];

export const isToolName = (name: string): name is ToolName => (toolNames as readonly string[]).includes(name);

/** A tool in an exact version, as it is stored: `node@22.20.0`. */
export type Tool = `${ToolName}@${string}`;

const toolPattern = new RegExp(`^(${toolNames.join('|')})@(\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}(?:-[0-9A-Za-z.]{1,40})?)$`);

/** Splits a stored tool. Throws for anything else, because the parts become paths and addresses. */
export function partsOfTool(tool: string): { name: ToolName; version: string } {
  const [, name, version] = toolPattern.exec(tool) ?? [];
  if (!name || !version) throw new Error(`${tool.slice(0, 100)} is not a tool and its version`);
  return { name: name as ToolName, version };
}

export const displayNames: Record<ToolName, string> = {
  node: 'Node.js',
  npm: 'npm',
  pnpm: 'pnpm',
  yarn: 'Yarn',
  bun: 'Bun',
  deno: 'Deno',
};

type Machine = { arch: string; hasAvx2: () => boolean };

/** Some x64 processors of servers lack the instructions that the usual build of Bun needs. */
const thisMachine: Machine = {
  arch: process.arch,
  hasAvx2: () => /\bavx2\b/.test(readFileSync('/proc/cpuinfo', 'utf8')),
};

/** Returns the package of a tool for this machine; undefined if there is none. */
export function packageOf(name: ToolName, version: string, { arch, hasAvx2 } = thisMachine): string | undefined {
  const isArm = arch === 'arm64';
  const isNative = ['node', 'bun', 'deno'].includes(name);
  if (isNative && !isArm && arch !== 'x64') return undefined;
  if (name === 'node') return `node-linux-${arch}`;
  if (name === 'bun') return `@oven/bun-linux-${isArm ? 'aarch64' : hasAvx2() ? 'x64' : 'x64-baseline'}`;
  if (name === 'deno') return `@deno/linux-${arch}-glibc`;
  return name === 'yarn' && !/^[01](\.|$)/.test(version) ? '@yarnpkg/cli-dist' : name;
}

/** Programs of packages that do not list them in their package.json. */
export const unlistedPrograms: Partial<Record<ToolName, Record<string, string>>> = {
  bun: { bun: 'bin/bun', bunx: 'bin/bun' },
  deno: { deno: 'deno' },
};
