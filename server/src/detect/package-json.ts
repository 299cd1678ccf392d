import type { SourceTree } from './detect.ts';

/** What we use of a package.json. Nothing in the file can be relied on: each part is checked, and left out if it is odd. */
export interface PackageJson {
  name: string | null;
  main: string | null;
  scripts: Map<string, string>;
  /** Installed to run. */
  dependencies: Set<string>;
  /** Installed to run or to build. */
  allDependencies: Set<string>;
  packageManager: string | null;
  engines: Map<string, string>;
  workspaces: string[];
  /** Why the file could not be used. */
  problem: string | null;
}

/** undefined when there is no package.json; one with a `problem` when it cannot be used. */
export async function readPackage(tree: SourceTree): Promise<PackageJson | undefined> {
  const text = await tree.read('package.json');
  return text === undefined ? undefined : parsePackage(text);
}

export function parsePackage(text: string): PackageJson {
  let json: unknown;
  try {
    // npm accepts a byte order mark, and so do we.
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return fromRecord({}, `is not valid JSON (${(error as Error).message.replace(/\s+/g, ' ').slice(0, 120)})`);
  }
  return isRecord(json) ? fromRecord(json, null) : fromRecord({}, 'is not a JSON object');
}

function fromRecord(json: Record<string, unknown>, problem: string | null): PackageJson {
  const dependencies = [...strings(json['dependencies']).keys()];
  const workspaces = json['workspaces'];
  return {
    name: text(json['name']),
    main: text(json['main']),
    scripts: strings(json['scripts']),
    dependencies: new Set(dependencies),
    allDependencies: new Set([...dependencies, ...strings(json['devDependencies']).keys()]),
    packageManager: text(json['packageManager']),
    engines: strings(json['engines']),
    // Yarn classic has the list one level deeper.
    workspaces: list(isRecord(workspaces) ? workspaces['packages'] : workspaces),
    problem,
  };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown) => (typeof value === 'string' && value.trim() ? value.trim() : null);

const list = (value: unknown): string[] => (Array.isArray(value) ? value.filter((item) => text(item) !== null) : []);

const strings = (value: unknown): Map<string, string> =>
  new Map(
    Object.entries(isRecord(value) ? value : {}).filter((entry): entry is [string, string] => text(entry[1]) !== null),
  );
