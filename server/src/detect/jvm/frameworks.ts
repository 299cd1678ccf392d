/** A JVM framework, and how its port is set. */
export interface JvmFramework {
  id: string;
  name: string;
  /** Text in the build file that identifies it. */
  sign: string;
  /** JVM options that set the port. */
  options: string;
  port: number;
  /** Build output, if it is not a single archive. */
  archive?: string;
}

/** Quarkus builds an archive beside its libraries before 1.12, and on request. */
const runner =
  /<quarkus[\w.-]{0,40}version>1\.(?:\d|1[01])\.|quarkus[\w.-]{0,40}ersion\s?=\s?1\.(?:\d|1[01])\.|package\.(?:jar\.)?type\s?[=>]\s?(?:uber|legacy)-jar/i;

/** Returns the framework of build files and settings. */
export function jvmFramework(build: string): JvmFramework | undefined {
  const found = jvmFrameworks.find(({ sign }) => build.includes(sign));
  return found?.id === 'quarkus' && runner.test(build) ? { ...found, archive: '*-runner.jar' } : found;
}

const jvmFrameworks: JvmFramework[] = [
  {
    id: 'quarkus',
    name: 'Quarkus',
    sign: 'io.quarkus',
    options: '-Dquarkus.http.host=${HOST:-0.0.0.0} -Dquarkus.http.port=${PORT:-8080}',
    port: 8080,
    archive: 'quarkus-app/quarkus-run.jar',
  },
  {
    id: 'spring-boot',
    name: 'Spring Boot',
    sign: 'org.springframework.boot',
    options: '-Dserver.port=${PORT:-8080}',
    port: 8080,
  },
  {
    id: 'micronaut',
    name: 'Micronaut',
    sign: 'io.micronaut',
    options: '-Dmicronaut.server.port=${PORT:-8080}',
    port: 8080,
  },
  { id: 'ktor', name: 'Ktor', sign: 'io.ktor', options: '', port: 8080 },
  { id: 'vertx', name: 'Vert.x', sign: 'io.vertx', options: '', port: 8888 },
  { id: 'javalin', name: 'Javalin', sign: 'io.javalin', options: '', port: 7070 },
  { id: 'dropwizard', name: 'Dropwizard', sign: 'io.dropwizard', options: '', port: 8080 },
];
