import type { SourceTree } from './detect.ts';
import { maxFileBytes } from './folder-tree.ts';
import { parseJson } from './json.ts';
import { childRecord, isRecord, textOrNull, textList, textEntries, type Json } from './records.ts';

/** Used fields of a package.json. The file is untrusted: invalid parts are omitted. */
export interface PackageJson {
  name: string | null;
  main: string | null;
  scripts: Map<string, string>;
  /** Runtime dependencies with versions. */
  dependencies: Map<string, string>;
  /** Runtime and development dependencies. */
  allDependencies: Map<string, string>;
  packageManager: string | null;
  engines: Map<string, string>;
  /** Versions in `devEngines` and `volta`, by tool. */
  tools: Map<string, string>;
  workspaces: string[];
  /** Why the file is invalid. */
  problem: string | null;
}

const names = ['package.json', 'package.json5'];

/** Returns undefined without a package.json; sets `problem` if it is invalid. */
export async function readPackage(tree: SourceTree): Promise<PackageJson | undefined> {
  for (const name of names) {
    const source = await tree.read(name);
    if (source !== undefined) return parsePackage(source, name !== 'package.json');
  }
  return undefined;
}

export function parsePackage(source: string, isJson5 = false): PackageJson {
  try {
    // npm accepts a byte order mark.
    const json: unknown = isJson5 ? parseJson(source) : JSON.parse(source.replace(/^\uFEFF/, ''));
    return isRecord(json) ? fromRecord(json, null) : fromRecord({}, 'is not a JSON object');
  } catch (error) {
    if (Buffer.byteLength(source) >= maxFileBytes) return fromRecord({}, 'is larger than 1 MB');
    return fromRecord({}, `is not valid JSON (${(error as Error).message.replace(/\s+/g, ' ').slice(0, 120)})`);
  }
}

function fromRecord(json: Json, problem: string | null): PackageJson {
  const dependencies = textEntries(json['dependencies']);
  const workspaces = json['workspaces'];
  return {
    name: textOrNull(json['name']),
    main: textOrNull(json['main']),
    scripts: textEntries(json['scripts']),
    dependencies,
    allDependencies: new Map([...textEntries(json['devDependencies']), ...dependencies]),
    packageManager: textOrNull(json['packageManager']),
    engines: textEntries(json['engines']),
    tools: new Map([...devEngines(json), ...textEntries(json['volta'])]),
    // Yarn 1 nests the list.
    workspaces: textList(isRecord(workspaces) ? workspaces['packages'] : workspaces),
    problem,
  };
}

function* devEngines(json: Json): Iterable<[string, string]> {
  const engines = childRecord(json, 'devEngines');
  for (const part of ['runtime', 'packageManager']) {
    const said: unknown = Array.isArray(engines[part]) ? (engines[part] as unknown[])[0] : engines[part];
    const [name, version] = isRecord(said) ? [textOrNull(said['name']), textOrNull(said['version'])] : [null, null];
    if (name) yield [name, version ?? '*'];
  }
}
