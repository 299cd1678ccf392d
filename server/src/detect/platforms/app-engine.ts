import { childRecord } from '../records.ts';
import { readYaml } from '../yaml.ts';
import { commandText, type ReadPlatformFile, scalarText, unreadSettings, variablesIn } from './settings.ts';

/** Keys that say where or for whom App Engine runs the app. */
const described = ['runtime', 'runtime_config', 'env', 'service', 'api_version', 'threadsafe'];

/** Settings of Google App Engine. Other tools have files of the same name, without a runtime. */
export const appEngine: ReadPlatformFile = async (tree, file) => {
  const settings = await readYaml(tree, file);
  if (!scalarText(settings['runtime'])) return {};
  return {
    start: commandText(settings['entrypoint']),
    variables: variablesIn(childRecord(settings, 'env_variables')),
    ignored: unreadSettings(settings, [...described, 'entrypoint', 'env_variables']),
  };
};
