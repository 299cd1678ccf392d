import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import type { ComposeProject } from '../../../../compose/index.ts';
import { randomText } from '../../../../compose/values/generated.ts';
import type { SourceTree } from '../../../../detect/detect.ts';
import { isRecord } from '../../../../detect/records.ts';
import { readToml } from '../../../../detect/toml.ts';

const mostEntries = 200;
const mostLevels = 10;
const mostLookups = 5000;
const longest = 4096;

/** Random values by the name of their helper in a blueprint: `${password:32}`. */
const helpers: Record<string, (length: number | undefined) => string> = {
  password: (length = 16) => randomText(length),
  base64: (length = 32) => randomBytes(length).toString('base64'),
  hash: (length = 8) => randomBytes(length).toString('hex').slice(0, length),
  jwt: (length = 32) => randomBytes(length).toString('hex'),
  uuid: () => randomUUID(),
  username: () => randomText(10).toLowerCase(),
  email: () => `${randomText(10).toLowerCase()}@example.com`,
  randomPort: () => String(randomInt(20_000, 60_000)),
};

type HostOf = (service: string | undefined) => string;
type Values = Readonly<Record<string, string>>;
/** `isLoose`: some random part belongs to no variable, so the next deployment would have another one. */
type Filled = { text: string; isRandom: boolean; isLoose: boolean; isKnown: boolean };

interface Domain {
  service: string;
  port: number | null;
  host: string;
}

/** The `template.toml` of a Dokploy blueprint beside its compose file. */
export class Blueprint {
  readonly domains: Domain[];
  readonly #variables: Record<string, string>;
  readonly #environment: Record<string, string>;
  readonly #files: Map<string, string>;
  readonly #made = new Map<string, string>();
  #lookups = 0;

  constructor({ variables, config }: Record<string, unknown>) {
    const { env, domains, mounts } = isRecord(config) ? config : {};
    this.#variables = texts(variables);
    this.#environment = texts(Array.isArray(env) ? Object.fromEntries(env.map(pair)) : env);
    this.domains = records(domains).flatMap(({ serviceName, port, host }) =>
      typeof serviceName === 'string'
        ? [{ service: serviceName, port: Number(port) || null, host: typeof host === 'string' ? host : '' }]
        : [],
    );
    const files = records(mounts).flatMap(({ filePath, content }) =>
      typeof filePath === 'string' && typeof content === 'string'
        ? [[posix.join('../files', filePath), content] as const]
        : [],
    );
    this.#files = new Map(files);
  }

  /** Returns the variables; those in `random` must be the same in every deployment. */
  environment(hostOf: HostOf): {
    random: Record<string, string>;
    plain: Record<string, string>;
  } {
    const inFiles = Object.entries(this.#variables).filter(([name]) => this.#isInFile(name));
    const all = [
      ...Object.entries(this.#environment).map(([key, text]) => ({
        key,
        ...this.#filled(text, { hostOf, of: entry(key) }),
      })),
      ...inFiles
        .map(([name, text]) => ({ key: keptName(name), ...this.#filled(text, { hostOf, of: name }) }))
        .filter(({ isRandom }) => isRandom),
    ];
    const known = all.filter(({ isKnown }) => isKnown);
    const of = (list: typeof all) => Object.fromEntries(list.map(({ key, text }) => [key, text]));
    return {
      random: of(known.filter(({ isRandom }) => isRandom)),
      plain: of(known.filter(({ isRandom }) => !isRandom)),
    };
  }

  #isInFile(name: string): boolean {
    return [...this.#files.values()].some((text) => text.includes(`\${${name}}`));
  }

  /** Binds files of the blueprint, which the compose file expects in `../files`. `kept` are the project's variables. */
  withFiles(project: ComposeProject, hostOf: HostOf, kept: Values): ComposeProject {
    return {
      ...project,
      services: project.services.map((service) => ({
        ...service,
        mounts: service.mounts.map((mount) => {
          const text = mount.type === 'bind' && !mount.source.isInside ? this.#files.get(mount.source.path) : undefined;
          const filled = text === undefined ? undefined : this.#filled(text, { hostOf, kept });
          if (mount.type !== 'bind' || !filled || filled.isLoose) return mount;
          const path = posix.join('.mooring-files', mount.source.path.slice('../files/'.length));
          return { ...mount, source: { path, isInside: true }, content: filled.text };
        }),
      })),
    };
  }

  /** A variable may have the name of a helper, which its own value then means. */
  #named(name: string, of: string | undefined) {
    if (name !== of && Object.hasOwn(this.#variables, name))
      return { id: name, text: this.#variables[name]!, storedAs: keptName(name) };
    if (entry(name) !== of && Object.hasOwn(this.#environment, name))
      return { id: entry(name), text: this.#environment[name]!, storedAs: name };
    return undefined;
  }

  /** Replaces the helpers and variables in a text, which is the value of the variable or entry `of`. */
  #filled(text: string, scope: { hostOf: HostOf; of?: string; kept?: Values }, level = 0): Filled {
    const { hostOf, of, kept = {} } = scope;
    let [isRandom, isLoose] = [false, false];
    const value = (whole: string, name: string, length?: string): string => {
      if (level >= mostLevels || ++this.#lookups > mostLookups) return whole;
      const inner = length === undefined ? this.#named(name, of) : undefined;
      if (inner) {
        const filled = this.#filled(inner.text, { ...scope, of: inner.id }, level + 1);
        isRandom ||= filled.isRandom;
        return ((filled.isRandom && kept[inner.storedAs]) || filled.text).slice(0, longest);
      }
      if (name === 'domain') return hostOf(this.domains.find(({ host }) => host === `\${${of}}`)?.service);
      const make = Object.hasOwn(helpers, name) ? helpers[name] : undefined;
      if (!make) return whole;
      isRandom = true;
      isLoose ||= of === undefined;
      // A variable has one value, wherever it is used.
      const key = `${of} ${whole}`;
      const made = this.#made.get(key) ?? make(length === undefined ? undefined : Number(length));
      this.#made.set(key, made);
      return made;
    };
    const filled = text.replaceAll(/\$\{([A-Za-z_]\w{0,60})(?::(\d{1,3}))?\}/g, value);
    return { text: filled, isRandom, isLoose, isKnown: !filled.includes('${') };
  }
}

/** Entries of the environment may have the name of a variable. */
const entry = (key: string): string => `env ${key}`;

/** Name of the project's variable that keeps the random value of a blueprint's variable for its files. */
const keptName = (name: string): string => `BLUEPRINT_${name.toUpperCase()}`;

/** Reads the blueprint of a folder; undefined if there is none. */
export async function blueprintIn(tree: SourceTree, folder: string): Promise<Blueprint | undefined> {
  const toml = await readToml(tree, posix.join(folder, 'template.toml'));
  return toml && isRecord(toml['config']) ? new Blueprint(toml) : undefined;
}

const isName = (key: string): boolean => /^[A-Za-z_]\w{0,127}$/.test(key);

const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {})
      .filter(([key, text]) => isName(key) && ['string', 'number', 'boolean', 'bigint'].includes(typeof text))
      .map(([key, text]) => [key, String(text)] as const)
      .filter(([, text]) => text.length <= longest)
      .slice(0, mostEntries),
  );

const pair = (entry: unknown): [string, string] => {
  const text = typeof entry === 'string' ? entry : '';
  const sign = text.indexOf('=');
  return sign < 0 ? ['', ''] : [text.slice(0, sign), text.slice(sign + 1)];
};

const records = (value: unknown): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : []).filter(isRecord).slice(0, mostEntries);
