import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBytes, parseDuration } from '../../src/compose/values/units.ts';
import { projectFields } from '../../src/compose/verdicts/project-fields.ts';
import { serviceFields } from '../../src/compose/verdicts/service-fields.ts';
import type { Verdicts } from '../../src/compose/verdicts/verdict.ts';
import { filled, type Json } from './as-config.ts';
import { filesFolder } from './cases.ts';

// Docker Compose's output in the form of as-config.ts: without unsupported fields, with numbers for sizes and
// durations, and without duplicate information.

/** Paths outside the source as written in the files; Docker Compose makes them absolute. */
const written: Record<string, string> = {
  '<above>': '..',
  '<above>/sibling': '../sibling',
  '<above>/o': '../o',
  '/home/somebody/home': '~/home',
};

export const golden = (name: string, variables: Record<string, string>): Json =>
  goldenOf(readFileSync(join(filesFolder, name, 'expect.json'), 'utf8'), variables);

/** The normalized output of the program. */
export function goldenOf(text: string, variables: Record<string, string>): Json {
  // Docker Compose doubles every dollar sign, so that its output can be parsed again.
  const config = unescaped(JSON.parse(text)) as Record<string, Record<string, Json>>;
  const section = (key: string, show: (item: Json) => Json = (item) => item) =>
    Object.fromEntries(
      Object.entries(config[key] ?? {}).map(([each, item]) => [
        each,
        filled(show(carriedOut(item, projectFields, `${key}.*`))),
      ]),
    );
  const owned = ({ ipam, ...item }: Json) => ({
    ...item,
    ...(ipam !== undefined && { ipam: filled({ config: (ipam as Json)['config'] }) }),
    name: item['external'] ? item['name'] : null,
  });
  const held = ({ environment, ...item }: Json) => ({
    ...item,
    ...(typeof environment === 'string' && { content: variables[environment] }),
  });
  const services = Object.entries(config['services']!).map(([each, item]) => [each, goldenService(item)] as const);
  const networksInUse = new Set(services.flatMap(([, item]) => Object.keys((item['networks'] as Json) ?? {})));
  return {
    name: config['name'],
    services: Object.fromEntries(services),
    networks: Object.fromEntries(
      Object.entries(section('networks', owned)).filter(([each]) => networksInUse.has(each)),
    ),
    volumes: section('volumes', owned),
    configs: section('configs', held),
    secrets: section('secrets', held),
  };
}

const unescaped = (value: unknown): unknown =>
  typeof value === 'string'
    ? (written[value] ?? value.replaceAll('$$', '$'))
    : Array.isArray(value)
      ? value.map(unescaped)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unescaped(item)]))
        : value;

/** Drops the fields that the table warns about. */
function carriedOut(value: Json, table: Verdicts, path: string): Json {
  const below = (item: unknown, at: string): unknown =>
    Array.isArray(item)
      ? item.map((each) => below(each, `${at}[]`))
      : item && typeof item === 'object'
        ? carriedOut(item as Json, table, at)
        : item;
  const kept = Object.entries(value).filter(
    ([key]) => table[`${path}${key}`]?.is !== 'warned' && table[`${path}.${key}`]?.is !== 'warned',
  );
  return Object.fromEntries(
    kept.map(([key, item]) => {
      const name = path === '' || path.endsWith('.') ? `${path}${key}` : `${path}.${key}`;
      const isFree = Object.keys(table).some((each) => each.startsWith(`${name}.*.`));
      if (!isFree || !item || typeof item !== 'object' || Array.isArray(item)) return [key, below(item, name)];
      return [key, Object.fromEntries(Object.entries(item).map(([each, inner]) => [each, below(inner, `${name}.*`)]))];
    }),
  );
}

const list = (value: unknown) => (value ?? []) as Json[];
const number = (value: unknown) => (value === undefined ? null : parseBytes(`${value as string | number}`));
const time = (value: unknown) => (value === undefined ? null : parseDuration(value as string));

/** A service as Docker Compose prints it. */
export function goldenService(item: Json): Json {
  const { command, entrypoint, deploy, ...given } = carriedOut(item, serviceFields, '');
  const { resources = {}, replicas, restart_policy: policy } = (deploy ?? {}) as Record<string, Record<string, Json>>;
  const build = given['build'] as Json | undefined;
  const check = given['healthcheck'] as Json | undefined;
  return {
    ...(command !== null && { command }),
    ...(entrypoint !== null && { entrypoint }),
    ...filled({
      ...given,
      ports: list(given['ports']).map(filled),
      volumes: list(given['volumes']).map(mount),
      networks: Object.fromEntries(
        Object.entries((given['networks'] as Json) ?? {}).map(([name, value]) => [name, value ?? {}]),
      ),
      depends_on: Object.fromEntries(
        Object.entries((given['depends_on'] as Json) ?? {}).map(([name, value]) => [
          name,
          { restart: false, ...(value as Json) },
        ]),
      ),
      configs: list(given['configs']).map((use) => ({ ...use, target: inFolder('/', use['target'] ?? use['source']) })),
      secrets: list(given['secrets']).map((use) => ({ ...use, target: inFolder('/run/secrets/', use['target']) })),
      build:
        build &&
        filled({
          ...build,
          shm_size: number(build['shm_size']),
          secrets: list(build['secrets']).map((use) => ({ target: use['source'], ...use })),
        }),
      healthcheck: check && healthcheck(check),
      devices: list(given['devices']).map(
        (device) => `${String(device['source'])}:${String(device['target'])}:${String(device['permissions'])}`,
      ),
      ulimits: Object.fromEntries(
        Object.entries((given['ulimits'] as Json) ?? {}).map(([name, value]) => [
          name,
          typeof value === 'number' ? { soft: value, hard: value } : value,
        ]),
      ),
      gpus: Boolean(given['gpus'] ?? resources['reservations']?.['devices']),
      cpus: given['cpus'] ?? resources['limits']?.['cpus'],
      mem_limit: number(given['mem_limit'] ?? resources['limits']?.['memory']),
      mem_reservation: number(given['mem_reservation'] ?? resources['reservations']?.['memory']),
      memswap_limit: number(given['memswap_limit']),
      pids_limit: given['pids_limit'] === -1 ? null : (given['pids_limit'] ?? resources['limits']?.['pids']),
      links: (given['links'] as string[] | undefined)?.map((link) => link.replace(/^(.+):\1$/s, '$1')),
      shm_size: number(given['shm_size']),
      stop_grace_period: time(given['stop_grace_period']),
      scale: onlyMore(given['scale'] ?? replicas),
      restart: policy ? restart(policy) : given['restart'],
      extra_hosts: (given['extra_hosts'] as string[] | undefined)?.toSorted(),
      profiles: null,
      volumes_from: (given['volumes_from'] as string[] | undefined)?.map((from) => from.replace(/:rw$/, '')),
    }),
  };
}

const inFolder = (folder: string, target: unknown) =>
  String(target).startsWith('/') ? target : `${folder}${String(target)}`;
const onlyMore = (replicas: unknown) => (replicas === 1 ? null : replicas);

function mount(item: Json): Json {
  const { volume, bind, tmpfs, ...rest } = item as Record<string, Json>;
  const size = tmpfs?.['size'];
  return filled({
    ...rest,
    bind,
    volume,
    tmpfs: tmpfs && filled({ ...tmpfs, size: number(size), mode: Number(tmpfs['mode']) || null }),
  });
}

function healthcheck(check: Json): Json {
  const isOff = check['disable'] === true || (check['test'] as string[] | undefined)?.[0] === 'NONE';
  return filled({
    ...check,
    disable: isOff,
    test: isOff ? null : check['test'],
    interval: time(check['interval']),
    timeout: time(check['timeout']),
    start_period: time(check['start_period']),
    start_interval: time(check['start_interval']),
  });
}

const restart = (policy: Json) =>
  !policy['condition'] || ['any', 'always'].includes(policy['condition'] as string)
    ? 'always'
    : `${policy['condition'] as string}${policy['max_attempts'] ? `:${policy['max_attempts'] as number}` : ''}`;
