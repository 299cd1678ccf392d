import { sameShape, type ShapeKind, type FieldShape, type Shapes } from './shape.ts';

export const textShape: FieldShape = { is: ['text'] };
export const flagShape: FieldShape = { is: ['flag', 'text'] };
export const mapping: FieldShape = { is: ['mapping'] };
const plain: ShapeKind[] = ['text', 'number', 'flag', 'nothing'];
/** `{A: 1, B: null}` or `[A=1, B]`. */
export const pairsShape: FieldShape = { is: ['mapping', 'list'], items: ['text'], values: plain };
const number: FieldShape = { is: ['number', 'text'] };
const whole: FieldShape = { is: ['whole number', 'text'] };
const texts: FieldShape = { is: ['list'], items: ['text'] };
const textOrTexts: FieldShape = { is: ['text', 'list'], items: ['text'] };
const command: FieldShape = { is: ['text', 'list', 'nothing'], items: ['text'] };
const hosts: FieldShape = { is: ['mapping', 'list'], items: ['text'], values: ['text', 'list'] };
const limits: FieldShape = { is: ['mapping'], values: ['whole number', 'text', 'mapping'] };
const count: FieldShape = { is: ['whole number', 'text'], like: [/^(all|-?\d+)$/, 'all or a number'] };
const uses: FieldShape = { is: ['list'], items: ['text', 'mapping'] };

/** Types of service fields, by the schema of Docker Compose. Ignored fields are omitted: their warning is enough. */
export const serviceShapes: Shapes = {
  ...sameShape(
    textShape,
    `build.context build.dockerfile build.dockerfile_inline build.network build.target build.secrets[].source
    build.secrets[].target cgroup_parent configs[].source configs[].target configs[].uid configs[].gid
    deploy.mode deploy.resources.limits.memory deploy.resources.reservations.memory deploy.restart_policy.condition
    deploy.resources.reservations.devices[].driver depends_on.*.condition devices[].source devices[].target
    devices[].permissions domainname env_file[].path env_file[].format gpus[].driver healthcheck.interval
    healthcheck.start_interval healthcheck.start_period healthcheck.timeout hostname image ipc network_mode
    networks.*.ipv4_address platform ports[].host_ip ports[].protocol pull_policy restart runtime secrets[].source secrets[].target secrets[].uid secrets[].gid
    stop_grace_period stop_signal user userns_mode uts volumes[].source volumes[].target volumes[].type
    volumes[].bind.propagation volumes[].volume.subpath working_dir`,
  ),
  ...sameShape(
    number,
    `configs[].mode cpus deploy.resources.limits.cpus healthcheck.retries mem_limit memswap_limit pids_limit secrets[].mode
    shm_size`,
  ),
  ...sameShape(
    whole,
    `build.shm_size deploy.replicas deploy.resources.limits.pids 
    deploy.restart_policy.max_attempts mem_reservation ports[].published ports[].target scale ulimits.*.hard
    ulimits.*.soft volumes[].tmpfs.size`,
  ),
  ...sameShape(
    flagShape,
    `build.no_cache build.privileged build.pull depends_on.*.restart env_file[].required healthcheck.disable init privileged
    read_only stdin_open tty volumes[].bind.create_host_path volumes[].read_only volumes[].volume.nocopy`,
  ),
  ...sameShape({ is: ['flag'] }, 'depends_on.*.required use_api_socket'),
  'volumes[].tmpfs.mode': { is: ['number'] },
  ...sameShape(
    texts,
    `build.cache_from build.entitlements build.platforms cap_add cap_drop dns_opt links networks.*.aliases profiles
    deploy.resources.reservations.devices[].capabilities deploy.resources.reservations.devices[].device_ids gpus[].capabilities
    gpus[].device_ids`,
  ),
  ...sameShape({ ...texts, isSet: true }, 'device_cgroup_rules external_links security_opt volumes_from'),
  ...sameShape(textOrTexts, 'dns dns_search healthcheck.test label_file tmpfs'),
  ...sameShape(command, 'command entrypoint'),
  ...sameShape(
    pairsShape,
    `build.additional_contexts build.args build.labels environment gpus[].options labels sysctls
    deploy.resources.reservations.devices[].options`,
  ),
  ...sameShape(hosts, 'build.extra_hosts extra_hosts'),
  ...sameShape(uses, 'build.secrets configs secrets'),
  ...sameShape(
    mapping,
    `deploy.resources deploy.resources.limits deploy.resources.reservations deploy.restart_policy healthcheck volumes[].bind
    volumes[].tmpfs volumes[].volume`,
  ),
  ...sameShape(count, 'deploy.resources.reservations.devices[].count gpus[].count'),
  build: { is: ['text', 'mapping'] },
  cgroup: { is: ['text'], like: [/^(host|private)$/, 'host or private'] },
  container_name: { is: ['text'], like: [/[a-zA-Z0-9][a-zA-Z0-9_.-]/, 'two letters or digits at least'] },
  depends_on: { is: ['mapping', 'list'], items: ['text'], values: ['mapping'], isSet: true },
  'depends_on.*': { is: ['mapping'], needs: ['condition'] },
  deploy: { is: ['mapping', 'nothing'] },
  'deploy.resources.reservations.devices': { is: ['list'], items: ['mapping'] },
  'deploy.resources.reservations.devices[]': { is: ['mapping'], needs: ['capabilities'] },
  devices: uses,
  'devices[]': { is: ['text', 'mapping'], needs: ['source'] },
  env_file: { is: ['text', 'list'], items: ['text', 'mapping'] },
  expose: { is: ['list'], items: ['number', 'text'] },
  gpus: { is: ['text', 'list'], items: ['mapping'], like: [/^all$/, 'all or a list'] },
  group_add: { is: ['list'], items: ['number', 'text'], isSet: true },
  networks: { is: ['mapping', 'list'], items: ['text'], values: ['mapping', 'nothing'], isSet: true },
  pid: { is: ['text', 'nothing'] },
  ports: { is: ['list'], items: ['number', 'text', 'mapping'] },
  ulimits: limits,
  'ulimits.*': { is: ['whole number', 'text', 'mapping'], needs: ['soft', 'hard'] },
  volumes: { is: ['list'], items: ['text', 'mapping'] },
  'volumes[]': { is: ['text', 'mapping'], needs: ['type'] },
};
