import { carried, carriedAs, refused, warned, type Verdicts } from './verdict.ts';

const trusted = carriedAs('reaches the machine: only in a trusted project');
const named = warned('what is created is named after the project');
const noStore = refused('give it as a file of the source or by a variable');

/** Every field of a compose file that is not a service's. */
export const projectFields: Verdicts = {
  configs: carried,
  include: carried,
  models: warned('there is nothing here that runs models'),
  name: carried,
  networks: carried,
  secrets: carried,
  services: carried,
  version: carriedAs('without a meaning'),
  volumes: carried,

  'configs.*.content': carried,
  'configs.*.environment': carried,
  'configs.*.external': noStore,
  'configs.*.file': carriedAs('a file of the source; others only in a trusted project'),
  'configs.*.labels': warned('configs are files and have no labels'),
  'configs.*.name': named,
  'configs.*.template_driver': noStore,

  'include[].env_file': carried,
  'include[].path': carried,
  'include[].project_directory': carried,

  'networks.*.attachable': warned('only a swarm knows it'),
  'networks.*.driver': carriedAs('`bridge`; others only in a trusted project'),
  'networks.*.driver_opts': warned('networks have no options'),
  'networks.*.enable_ipv4': warned('the engine decides'),
  'networks.*.enable_ipv6': warned('the engine decides'),
  'networks.*.external': trusted,
  'networks.*.internal': carried,
  'networks.*.ipam': warned('addresses are given by the engine; services find each other by name'),
  'networks.*.labels': carried,
  'networks.*.name': carriedAs('of an external one; others are named after the project, with a warning'),

  'secrets.*.driver': noStore,
  'secrets.*.driver_opts': noStore,
  'secrets.*.environment': carried,
  'secrets.*.external': noStore,
  'secrets.*.file': carriedAs('a file of the source; others only in a trusted project'),
  'secrets.*.labels': warned('secrets are files and have no labels'),
  'secrets.*.name': named,
  'secrets.*.template_driver': noStore,

  'volumes.*.driver': carriedAs('`local`; others only in a trusted project'),
  'volumes.*.driver_opts': carriedAs('a tmpfs; others only in a trusted project'),
  'volumes.*.external': trusted,
  'volumes.*.labels': carried,
  'volumes.*.name': carriedAs('of an external one; others are named after the project, with a warning'),
};
