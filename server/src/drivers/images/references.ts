import type { RegistryCredential } from './images.ts';

/** An image name in parts, with the defaults of a short one filled in. */
export interface Reference {
  registry: string;
  repository: string;
  tag: string | undefined;
  digest: string | undefined;
}

export const dockerHub = 'docker.io';
const hubNames = ['index.docker.io', 'registry-1.docker.io', 'https://index.docker.io/v1/'];
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]+)?`;
const pattern = new RegExp(
  String.raw`^(${host})/(${component}(?:/${component})*)(?::([a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);

/** Returns undefined for an invalid name. */
export function parseReference(text: string): Reference | undefined {
  if (text.length > 512) return undefined;
  const first = text.split('/', 1)[0]!;
  const hasRegistry = text.includes('/') && (/[.:]/.test(first) || first === 'localhost' || /[A-Z]/.test(first));
  const [, registry, path, tag, digest] = pattern.exec(hasRegistry ? text : `${dockerHub}/${text}`) ?? [];
  if (!registry || !path) return undefined;
  const repository = registry === dockerHub && !path.includes('/') ? `library/${path}` : path;
  return { registry: registryName(registry), repository, tag: tag ?? (digest ? undefined : 'latest'), digest };
}

/** Returns the short form: `node:22`, `registry.example.com/team/app:1`. */
export function shortName({ registry, repository, tag, digest }: Reference): string {
  const path = registry === dockerHub ? repository.replace(/^library\//, '') : `${registry}/${repository}`;
  return path + (tag ? `:${tag}` : '') + (digest ? `@${digest}` : '');
}

export const registryName = (name: string): string => (hubNames.includes(name) ? dockerHub : name);

/** Returns the credentials of that registry. */
export const credentialFor = (
  registry: string,
  credentials: RegistryCredential[] = [],
): RegistryCredential | undefined => credentials.find((each) => registryName(each.registry) === registryName(registry));

/** Converts credentials to the engine's format. */
const authOf = ({ registry, username, password }: RegistryCredential) => {
  const serveraddress = registryName(registry) === dockerHub ? hubNames.at(-1)! : registry;
  return { username, password, serveraddress };
};

/** URL-safe base64 with padding: older engines require both. */
const headerOf = (content: object): string =>
  Buffer.from(JSON.stringify(content)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

/** Header for a pull. */
export const registryAuthHeader = (credential: RegistryCredential | undefined): Record<string, string> =>
  credential ? { 'x-registry-auth': headerOf(authOf(credential)) } : {};
