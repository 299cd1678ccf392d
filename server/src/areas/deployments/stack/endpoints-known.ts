/** Databases, caches and queues, by the last word of their image's name: nobody means to show them to the world. */
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

/** By the name of an image, whatever its registry, version and owner. */
export function isDatabase(image: string | null): boolean {
  const name = image?.split('@')[0]!.split('/').at(-1)!.split(':')[0]!.toLowerCase() ?? '';
  return databases.test(name) || /^(mcr\.microsoft\.com\/)?(mssql|azure-sql-edge)\b/.test(image ?? '');
}

/** Ports of mail, shells, names, databases and queues, and the one where HTTP is behind TLS. */
const otherPorts = new Set([
  21, 22, 23, 25, 53, 110, 123, 143, 389, 443, 445, 465, 587, 636, 853, 873, 993, 995, 1433, 1521, 1883, 2049, 2181,
  2379, 3306, 3389, 3478, 4222, 5060, 5432, 5672, 5900, 6379, 6380, 6432, 7687, 8443, 8883, 9042, 9092, 9094, 9160,
  11211, 27017, 27018, 29092, 33060, 50000, 61616,
]);
export const speaksNoHttp = (port: number): boolean => otherPorts.has(port);

/** Where web servers and frameworks listen by habit. */
export const isHttpPort = (port: number | null): boolean =>
  port !== null &&
  (port === 80 || /^(3|4|5|8)\d{3}$|^(1337|2368|7860|9000|9090)$/.test(String(port))) &&
  !speaksNoHttp(port);
