import type { WriterLog } from '../records/log-writer.ts';
import type { RuntimePaths } from '../records/paths.ts';
import { type InstanceRecord, readRecord } from './state-file.ts';

export type KnownInstance = { key: string; folder: string; record: InstanceRecord };

/** Instances of one deployment. An unreadable record is an error: we would lose track of a running app. */
export const instancesOf = (places: RuntimePaths, deploymentId: string): KnownInstance[] =>
  places.keys(deploymentId).flatMap((key) => known(places, key) ?? []);

/** All our instances, without those of others in the same folder. An unreadable one does not hide the rest. */
export const ownInstances = (places: RuntimePaths, instanceId: string, report: WriterLog): KnownInstance[] =>
  places
    .keys()
    .flatMap((key) => {
      try {
        return known(places, key) ?? [];
      } catch (error) {
        report('the record of an app is skipped', error);
        return [];
      }
    })
    .filter(({ record }) => record.owner.instanceId === instanceId);

function known(places: RuntimePaths, key: string): KnownInstance | undefined {
  const folder = places.instance(key);
  const record = readRecord(folder);
  return record && { key, folder, record };
}
