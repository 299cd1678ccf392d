import type { WriterLog } from '../records/log-writer.ts';
import type { RuntimePaths } from '../records/paths.ts';
import { type InstanceRecord, readRecord } from './state-file.ts';

export type KnownInstance = { key: string; folder: string; record: InstanceRecord };

/** Instances of one deployment. A record that cannot be read is an error: we would forget what runs. */
export const instancesOf = (places: RuntimePaths, deploymentId: string): KnownInstance[] =>
  places.keys(deploymentId).flatMap((key) => known(places, key) ?? []);

/** All instances of ours, and of nobody else who may use the same folder. One that cannot be read hides no other. */
export const ownInstances = (places: RuntimePaths, instanceId: string, report: WriterLog): KnownInstance[] =>
  places
    .keys()
    .flatMap((key) => {
      try {
        return known(places, key) ?? [];
      } catch (error) {
        report('an instance is left out', error);
        return [];
      }
    })
    .filter(({ record }) => record.owner.instanceId === instanceId);

function known(places: RuntimePaths, key: string): KnownInstance | undefined {
  const folder = places.instance(key);
  const record = readRecord(folder);
  return record && { key, folder, record };
}
