import type { Detection } from '../../../detect/detect.ts';
import { isInOrAt } from '../model/single-replica.ts';
import type { StepContext } from '../model/step.ts';
import { selectMounted } from '../model/volume-store.ts';

type Context = Pick<StepContext, 'db' | 'deployment' | 'config'>;

/** Returns a sentence for each kind of data that the app is known to write and that no volume keeps. */
export async function volumeWarnings(
  { db, deployment, config }: Context,
  { volumes, warnings }: Pick<Detection, 'volumes' | 'warnings'>,
): Promise<string[]> {
  const set = new Set(config.variables.map(({ key }) => key));
  const unkept = warnings.filter(({ unlessVariables }) => !unlessVariables.some((key) => set.has(key)));
  const mounted = volumes.length ? await selectMounted(db, deployment) : [];
  const unmounted = volumes.filter(({ path }) => !mounted.some((row) => keeps(row.path, path)));
  return [
    ...unkept.map(({ message }) => message),
    ...unmounted.map(
      ({ name, path, reason }) =>
        `${reason}. Files written there are lost with the next deployment. Add a volume to keep them: ` +
        `mooring volume add ${config.slug} ${name} ${path}`,
    ),
  ];
}

/**
 * Returns the detected release command if the app's container must run it at each start: a database file that no volume
 * keeps is in that container only.
 */
export async function commandAtStart({ db, deployment, config }: Context, found: Detection): Promise<string | null> {
  const { databaseFile, releaseCommand } = found;
  if (!databaseFile || config.releaseCommand !== null) return null;
  if (config.variables.some(({ key }) => databaseFile.unlessVariables.includes(key))) return null;
  const isKept = (await selectMounted(db, deployment)).some(({ path }) => keeps(path, databaseFile.path));
  return isKept ? null : releaseCommand;
}

/** In a container the path of a volume may be absolute: `/app/media` is `media` of the app. */
const keeps = (mounted: string, path: string): boolean =>
  mounted.endsWith(`/${path}`) || isInOrAt(mounted, path) || isInOrAt(path, mounted);
