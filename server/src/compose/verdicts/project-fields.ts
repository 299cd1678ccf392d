import { carriedOut, carriedAs, refusedField, warnedField, type Verdicts } from './verdict.ts';

const trusted = carriedAs('gives access to the machine; trusted projects only');
const named = warnedField('resources are named after the project');
const noStore = refusedField('give it as a file of the source or by a variable');

/** Verdicts on all fields that do not belong to a service. */
export const projectFields: Verdicts = {
  configs: carriedOut,
  include: carriedOut,
  models: warnedField('models are not supported'),
  name: carriedOut,
  networks: carriedOut,
  secrets: carriedOut,
  services: carriedOut,
  version: carriedAs('has no meaning any more'),
  volumes: carriedOut,

  'configs.*.content': carriedOut,
  'configs.*.environment': carriedOut,
  'configs.*.external': noStore,
  'configs.*.file': carriedAs('a file of the source; others in trusted projects only'),
  'configs.*.labels': warnedField('configs are files and have no labels'),
  'configs.*.name': named,
  'configs.*.template_driver': noStore,

  'include[].env_file': carriedOut,
  'include[].path': carriedOut,
  'include[].project_directory': carriedOut,

  'networks.*.attachable': warnedField('Swarm only'),
  'networks.*.driver': carriedAs('`bridge`; others in trusted projects only'),
  'networks.*.driver_opts': warnedField('networks have no options'),
  'networks.*.enable_ipv4': warnedField('the engine decides'),
  'networks.*.enable_ipv6': warnedField('the engine decides'),
  'networks.*.external': trusted,
  'networks.*.internal': carriedOut,
  'networks.*.ipam': carriedAs('ignored in cloud mode'),
  'networks.*.ipam.config': carriedOut,
  'networks.*.ipam.config[].aux_addresses': warnedField('no service gets them: the engine assigns other addresses'),
  'networks.*.ipam.config[].gateway': carriedOut,
  'networks.*.ipam.config[].ip_range': carriedOut,
  'networks.*.ipam.config[].subnet': carriedAs(
    'one IPv4 subnet; larger than a /16 or outside the private ranges in trusted projects only',
  ),
  'networks.*.ipam.driver': carriedAs('`default`; others are ignored with a warning'),
  'networks.*.ipam.options': warnedField('the engine assigns addresses without options'),
  'networks.*.labels': carriedOut,
  'networks.*.name': carriedAs('of an external one; others are named after the project, with a warning'),

  'secrets.*.driver': noStore,
  'secrets.*.driver_opts': noStore,
  'secrets.*.environment': carriedOut,
  'secrets.*.external': noStore,
  'secrets.*.file': carriedAs('a file of the source; others in trusted projects only'),
  'secrets.*.labels': warnedField('secrets are files and have no labels'),
  'secrets.*.name': named,
  'secrets.*.template_driver': noStore,

  'volumes.*.driver': carriedAs('`local`; others in trusted projects only'),
  'volumes.*.driver_opts': carriedAs('a tmpfs; others in trusted projects only'),
  'volumes.*.external': trusted,
  'volumes.*.labels': carriedOut,
  'volumes.*.name': carriedAs('of an external one; others are named after the project, with a warning'),
};
