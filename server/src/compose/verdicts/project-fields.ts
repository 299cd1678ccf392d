import { carried, carriedAs, refusedField, warned, type Verdicts } from './verdict.ts';

const trusted = carriedAs('gives access to the machine; trusted projects only');
const named = warned('resources are named after the project');
const noStore = refusedField('give it as a file of the source or by a variable');

/** Verdicts on all fields that do not belong to a service. */
export const projectFields: Verdicts = {
  configs: carried,
  include: carried,
  models: warned('models are not supported'),
  name: carried,
  networks: carried,
  secrets: carried,
  services: carried,
  version: carriedAs('has no meaning any more'),
  volumes: carried,

  'configs.*.content': carried,
  'configs.*.environment': carried,
  'configs.*.external': noStore,
  'configs.*.file': carriedAs('a file of the source; others in trusted projects only'),
  'configs.*.labels': warned('configs are files and have no labels'),
  'configs.*.name': named,
  'configs.*.template_driver': noStore,

  'include[].env_file': carried,
  'include[].path': carried,
  'include[].project_directory': carried,

  'networks.*.attachable': warned('Swarm only'),
  'networks.*.driver': carriedAs('`bridge`; others in trusted projects only'),
  'networks.*.driver_opts': warned('networks have no options'),
  'networks.*.enable_ipv4': warned('the engine decides'),
  'networks.*.enable_ipv6': warned('the engine decides'),
  'networks.*.external': trusted,
  'networks.*.internal': carried,
  'networks.*.ipam': carriedAs('ignored in cloud mode'),
  'networks.*.ipam.config': carried,
  'networks.*.ipam.config[].aux_addresses': warned('no service gets them: the engine assigns other addresses'),
  'networks.*.ipam.config[].gateway': carried,
  'networks.*.ipam.config[].ip_range': carried,
  'networks.*.ipam.config[].subnet': carriedAs(
    'one IPv4 subnet; larger than a /16 or outside the private ranges in trusted projects only',
  ),
  'networks.*.ipam.driver': carriedAs('`default`; others are ignored with a warning'),
  'networks.*.ipam.options': warned('the engine assigns addresses without options'),
  'networks.*.labels': carried,
  'networks.*.name': carriedAs('of an external one; others are named after the project, with a warning'),

  'secrets.*.driver': noStore,
  'secrets.*.driver_opts': noStore,
  'secrets.*.environment': carried,
  'secrets.*.external': noStore,
  'secrets.*.file': carriedAs('a file of the source; others in trusted projects only'),
  'secrets.*.labels': warned('secrets are files and have no labels'),
  'secrets.*.name': named,
  'secrets.*.template_driver': noStore,

  'volumes.*.driver': carriedAs('`local`; others in trusted projects only'),
  'volumes.*.driver_opts': carriedAs('a tmpfs; others in trusted projects only'),
  'volumes.*.external': trusted,
  'volumes.*.labels': carried,
  'volumes.*.name': carriedAs('of an external one; others are named after the project, with a warning'),
};
