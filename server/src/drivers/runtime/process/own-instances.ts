import type { Report } from '../records/log-writer.ts';
import type { Places } from '../records/places.ts';
import { type InstanceRecord, readRecord } from './state-file.ts';

export type Known = { key: string; folder: string; record: InstanceRecord };

/** Instances of one deployment. A record that cannot be read is an error: we would forget what runs. */
export const instancesOf = (places: Places, deploymentId: string): Known[] =>
  places.keys(deploymentId).flatMap((key) => known(places, key) ?? []);

/** All instances of ours, and of nobody else who may use the same folder. One that cannot be read hides no other. */
export const ownInstances = (places: Places, instanceId: string, report: Report): Known[] =>
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

function known(places: Places, key: string): Known | undefined {
  const folder = places.instance(key);
  const record = readRecord(folder);
  return record && { key, folder, record };
}
