/** Databases, caches and queues, by the last part of their image's name: they are not exposed by default. */
const databases = new RegExp(
  `^(${[
    'postgres(ql)?|postgis|pgvector|timescaledb|pgbouncer|pgpool|cockroach|citus|spilo|alloydbomni|pgvecto-rs|paradedb',
    'mysql|mariadb|percona|vitess|galera|mssql|oracle|db2|firebird|dolt|tidb|yugabyte',
    'mongo(db)?|ferretdb|couchdb|couchbase|cassandra|scylla|neo4j|arangodb|rethinkdb|surrealdb|dgraph|rqlite',
    'redis|redis-stack|valkey|keydb|dragonfly(db)?|memcached|hazelcast|etcd|consul|zookeeper|garnet',
    'rabbitmq|nats|kafka|redpanda|pulsar|activemq|artemis|mosquitto|emqx|nsq|beanstalkd|gearmand',
    'elasticsearch|opensearch|solr|meilisearch|typesense|qdrant|weaviate|milvus|chroma|clickhouse|influxdb|questdb',
  ].join(
    '|',
  )})(-(server|ha|cluster|repmgr|sentinel|community|enterprise|standalone|db|free|edge|oss|sharded|alpine))*$`,
);

/** Programs for other programs, without pages or an HTTP API. */
const helpers = new RegExp(
  `^(${[
    'cloudflared|watchtower|autoheal|ofelia|docker-socket-proxy|socket-proxy|certbot|acme-companion|.*ddns.*|gluetun',
    'promtail|fluentd|fluent-bit|vector|logspout|alloy|otel.*|opentelemetry-collector.*|cadvisor|.*[-_]exporter|statsd',
    'mc|busybox|alpine|curl|debian|ubuntu|bash|wait-for.*|dockerize|git-sync|rclone|restic|.*-backups?(-.*)?',
    'postfix|dovecot|rspamd|exim.*|smtp|clamav|spamassassin|coturn|openldap|samba|unbound|tor|dind|docker|.*runners?',
  ].join('|')})$`,
);

/** Programs with an HTTP interface that other services use. */
const supports =
  /^(imgproxy|gotenberg|tika|libretranslate|(alpine-)?chrom(e|ium)|selenium.*|unoserver|minio|ollama|squid|postgrest|.*-sandbox|mailhog|mailpit|flaresolverr|text-embeddings.*)$/;

/** Web servers that stand in front of other services. */
const proxies = /^(nginx|nginx-unprivileged|openresty|caddy|httpd|apache|traefik|haproxy|envoy|swag|nginx-proxy)$/;

/** Ports of well-known images, used if nothing else tells the port. */
const usualPorts: Record<string, number> = {
  adminer: 8080,
  bookstack: 80,
  caddy: 80,
  directus: 8055,
  drupal: 80,
  forgejo: 3000,
  ghost: 2368,
  gitea: 3000,
  grafana: 3000,
  'home-assistant': 8123,
  httpd: 80,
  jellyfin: 8096,
  jenkins: 8080,
  joomla: 80,
  keycloak: 8080,
  mailhog: 8025,
  mailpit: 8025,
  matomo: 80,
  metabase: 3000,
  minio: 9001,
  'mongo-express': 8081,
  n8n: 5678,
  nextcloud: 80,
  nginx: 80,
  'nginx-unprivileged': 8080,
  'nginx-proxy-manager': 81,
  nocodb: 8080,
  odoo: 8069,
  ollama: 11_434,
  'open-webui': 8080,
  openresty: 80,
  outline: 3000,
  'paperless-ngx': 8000,
  pgadmin4: 80,
  phpmyadmin: 80,
  plausible: 8000,
  portainer: 9000,
  'portainer-ce': 9000,
  prometheus: 9090,
  redmine: 3000,
  registry: 5000,
  'rocket.chat': 3000,
  sonarqube: 9000,
  strapi: 1337,
  traefik: 80,
  umami: 3000,
  'uptime-kuma': 3001,
  vaultwarden: 80,
  whoami: 80,
  wordpress: 80,
};

/** Returns the last part of an image's name, without registry, owner and tag. */
const nameOf = (image: string | null): string =>
  image?.split('@')[0]!.split('/').at(-1)!.split(':')[0]!.toLowerCase() ?? '';

export const isDatabase = (image: string | null): boolean =>
  databases.test(nameOf(image)) || /^(mcr\.microsoft\.com\/)?(mssql|azure-sql-edge)\b/.test(image ?? '');

export const isHelper = (image: string | null): boolean => helpers.test(nameOf(image));

export const isSupport = (image: string | null): boolean => supports.test(nameOf(image));

export const isProxy = (image: string | null): boolean => proxies.test(nameOf(image));

/** PHP-FPM speaks FastCGI, so a web server has to stand in front of it. */
export const isFastCgi = (image: string | null): boolean =>
  /[:-]fpm\b/.test(image?.split('/').at(-1) ?? '') && !/nginx|apache/.test(image ?? '');

export function usualPort(image: string | null): number | null {
  const name = nameOf(image);
  // `vaultwarden/server`, `calcom/cal.com`
  const owner = image?.split('/').at(-2)?.toLowerCase() ?? '';
  return [name, owner].flatMap((each) => (Object.hasOwn(usualPorts, each) ? [usualPorts[each]!] : []))[0] ?? null;
}
