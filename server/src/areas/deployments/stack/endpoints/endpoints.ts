import type { ComposeService } from '../../../../compose/index.ts';
import type { DeploymentConfig } from '../../model/model.ts';
import type { ServiceImage } from '../../model/stack.ts';

/** A service that the edge routes to. */
export interface ServiceEndpoint {
  service: string;
  host: string;
  /** The port inside its container; null: the image's port. */
  port: number | null;
  isPrimary: boolean;
}

type Reached = Pick<ComposeService, 'name' | 'image' | 'ports' | 'expose' | 'app'>;
type Wanted = NonNullable<DeploymentConfig['publicEndpoints']>;

/** Typical names of the main service, by precedence. */
const front = ['web', 'app', 'frontend', 'www', 'site', 'ui', 'proxy', 'nginx', 'caddy', 'traefik', 'gateway'];

/** Returns the public services and their hosts. `label` is the project's label below `baseDomain`. */
export function endpointsOf(
  services: readonly Reached[],
  wanted: Wanted,
  { label, baseDomain }: { label: string; baseDomain: string },
): ServiceEndpoint[] {
  const named = wanted.flatMap(({ service, port }) => (service === undefined ? [] : [{ service, port: port ?? null }]));
  const chosen = named.flatMap(({ service }) => services.filter(({ name }) => name === service));
  const reached = chosen.length ? [...new Set(chosen)] : services.filter(isReached);
  const primary = chosen[0] ?? primaryOf(reached);
  const unnamed = wanted.find(({ service, port }) => service === undefined && port !== undefined)?.port ?? null;
  const names = dnsNames(services.map(({ name }) => name));
  return reached.map((service) => {
    const { name } = service;
    const isPrimary = service === primary;
    const said = named.find((each) => each.service === name && each.port !== null)?.port ?? null;
    return {
      service: name,
      host: `${isPrimary ? '' : `${names.get(name)!}.`}${label}.${baseDomain}`,
      port: said ?? (isPrimary ? unnamed : null) ?? service.app?.port ?? tcpPort(service),
      isPrimary,
    };
  });
}

/** Returns the port to health-check: of the endpoint, the file or the image; null if none is known. */
export function listensOn(
  service: Pick<Reached, 'ports' | 'expose' | 'app'>,
  image: Pick<ServiceImage, 'port' | 'ports'>,
  endpointPort: number | null,
): number | null {
  const exposed = service.expose.map((text) => /^(\d+)(?:-\d+)?(?:\/tcp)?$/.exec(text)?.[1]).find(Boolean);
  const said = endpointPort ?? service.app?.port ?? tcpPort(service) ?? (exposed ? Number(exposed) : null);
  return said ?? image.port ?? image.ports[0] ?? null;
}

/** The edge speaks HTTP, so the first port that may be HTTP wins. */
function tcpPort({ ports }: Pick<Reached, 'ports'>): number | null {
  const targets = ports.filter(({ protocol }) => protocol === 'tcp').map(({ target }) => target);
  return targets.find((port) => !speaksNoHttp(port)) ?? targets[0] ?? null;
}

function isReached(service: Reached): boolean {
  if (service.app) return true;
  const port = tcpPort(service);
  return port !== null && !isDatabase(service.image) && (port === 443 || !speaksNoHttp(port));
}

function primaryOf(reached: readonly Reached[]): Reached | undefined {
  const byName = front.map((name) => reached.find((service) => service.name.toLowerCase() === name)).find(Boolean);
  if (byName) return byName;
  return reached.find((service) => service.app || isHttpPort(tcpPort(service))) ?? reached[0];
}

/** Gives each service a unique DNS label; a duplicate gets a number. */
function dnsNames(services: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const service of services) {
    const fit = dnsName(service);
    let name = fit;
    for (let i = 2; taken.has(name); i++) name = `${fit.slice(0, 58)}-${i}`;
    taken.add(name);
    names.set(service, name);
  }
  return names;
}

const dnsName = (service: string): string =>
  service
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '') || 'service';

/** Databases, caches and queues, by the last part of their image's name: they are not exposed by default. */
const databases = new RegExp(
  `^(${[
    'postgres(ql)?|postgis|pgvector|timescaledb|pgbouncer|pgpool|cockroach|citus|spilo|alloydbomni',
    'mysql|mariadb|percona|vitess|galera|mssql|oracle|db2|firebird|dolt|tidb|yugabyte',
    'mongo(db)?|ferretdb|couchdb|couchbase|cassandra|scylla|neo4j|arangodb|rethinkdb|surrealdb|dgraph|rqlite',
    'redis|redis-stack|valkey|keydb|dragonfly(db)?|memcached|hazelcast|etcd|consul|zookeeper|garnet',
    'rabbitmq|nats|kafka|redpanda|pulsar|activemq|artemis|mosquitto|emqx|nsq|beanstalkd|gearmand',
    'elasticsearch|opensearch|solr|meilisearch|typesense|qdrant|weaviate|milvus|chroma|clickhouse|influxdb|questdb',
  ].join(
    '|',
  )})(-(server|ha|cluster|repmgr|sentinel|community|enterprise|standalone|db|free|edge|oss|sharded|alpine))*$`,
);

/** Matches by image name, ignoring registry, owner and tag. */
function isDatabase(image: string | null): boolean {
  const name = image?.split('@')[0]!.split('/').at(-1)!.split(':')[0]!.toLowerCase() ?? '';
  return databases.test(name) || /^(mcr\.microsoft\.com\/)?(mssql|azure-sql-edge)\b/.test(image ?? '');
}

/** Ports of mail, shells, DNS, databases and queues, and HTTPS ports. */
const otherPorts = new Set([
  21, 22, 23, 25, 53, 110, 123, 143, 389, 443, 445, 465, 587, 636, 853, 873, 993, 995, 1433, 1521, 1883, 2049, 2181,
  2379, 3306, 3389, 3478, 4222, 5060, 5432, 5672, 5900, 6379, 6380, 6432, 7687, 8443, 8883, 9042, 9092, 9094, 9160,
  11211, 27017, 27018, 29092, 33060, 50000, 61616,
]);
const speaksNoHttp = (port: number): boolean => otherPorts.has(port);

/** Usual ports of web servers and frameworks. */
const isHttpPort = (port: number | null): boolean =>
  port !== null &&
  (port === 80 || /^(3|4|5|8)\d{3}$|^(1337|2368|7860|9000|9090)$/.test(String(port))) &&
  !speaksNoHttp(port);
