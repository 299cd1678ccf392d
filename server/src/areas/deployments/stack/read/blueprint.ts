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
  uuid: () => randomUUID(),
  username: () => randomText(10).toLowerCase(),
  email: () => `${randomText(10).toLowerCase()}@example.com`,
  randomPort: () => String(randomInt(20_000, 60_000)),
};

type HostOf = (service: string | undefined) => string;
type Filled = { text: string; isRandom: boolean; isKnown: boolean };

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
    const all = Object.entries(this.#environment).map(([key, text]) => ({ key, ...this.#filled(text, hostOf) }));
    const known = all.filter(({ isKnown }) => isKnown);
    const of = (list: typeof all) => Object.fromEntries(list.map(({ key, text }) => [key, text]));
    return {
      random: of(known.filter(({ isRandom }) => isRandom)),
      plain: of(known.filter(({ isRandom }) => !isRandom)),
    };
  }

  /** Binds files of the blueprint, which the compose file expects in `../files`. */
  withFiles(project: ComposeProject, hostOf: HostOf): ComposeProject {
    return {
      ...project,
      services: project.services.map((service) => ({
        ...service,
        mounts: service.mounts.map((mount) => {
          const text = mount.type === 'bind' && !mount.source.isInside ? this.#files.get(mount.source.path) : undefined;
          // A random value in a file cannot be the same in every deployment.
          const filled = text === undefined ? undefined : this.#filled(text, hostOf);
          if (mount.type !== 'bind' || !filled || filled.isRandom) return mount;
          const path = posix.join('.mooring-files', mount.source.path.slice('../files/'.length));
          return { ...mount, source: { path, isInside: true }, content: filled.text };
        }),
      })),
    };
  }

  #filled(text: string, hostOf: HostOf, level = 0, variable?: string): Filled {
    let isRandom = false;
    const value = (whole: string, name: string, length?: string): string => {
      if (level >= mostLevels || ++this.#lookups > mostLookups) return whole;
      if (Object.hasOwn(this.#variables, name)) {
        const inner = this.#filled(this.#variables[name]!, hostOf, level + 1, name);
        isRandom ||= inner.isRandom;
        return inner.text.slice(0, longest);
      }
      if (name === 'domain') return hostOf(this.domains.find(({ host }) => host === `\${${variable}}`)?.service);
      const make = Object.hasOwn(helpers, name) ? helpers[name] : undefined;
      if (!make) return whole;
      isRandom = true;
      // A variable has one value, wherever it is used.
      const key = `${variable ?? text} ${whole}`;
      const made = this.#made.get(key) ?? make(length === undefined ? undefined : Number(length));
      this.#made.set(key, made);
      return made;
    };
    const filled = text.replaceAll(/\$\{([A-Za-z_]\w{0,60})(?::(\d{1,3}))?\}/g, value);
    return { text: filled, isRandom, isKnown: !filled.includes('${') };
  }
}

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
