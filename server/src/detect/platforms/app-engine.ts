import { child } from '../records.ts';
import { readYaml } from '../yaml.ts';
import { command, type Read, scalar, unread, variablesIn } from './settings.ts';

/** Keys that say where or for whom App Engine runs the app. */
const described = ['runtime', 'runtime_config', 'env', 'service', 'api_version', 'threadsafe'];

/** Settings of Google App Engine. Other tools have files of the same name, without a runtime. */
export const appEngine: Read = async (tree, file) => {
  const settings = await readYaml(tree, file);
  if (!scalar(settings['runtime'])) return {};
  return {
    start: command(settings['entrypoint']),
    variables: variablesIn(child(settings, 'env_variables')),
    ignored: unread(settings, [...described, 'entrypoint', 'env_variables']),
  };
};
