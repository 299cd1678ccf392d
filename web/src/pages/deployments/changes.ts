import type { Deployment } from '../../api.ts';

type Recipe = {
  [Name in 'framework' | 'installCommand' | 'buildCommand' | 'startCommand' | 'releaseCommand' | 'outputDirectory']:
    | string
    | null;
};
type Side = { deployment: Deployment; recipe: Recipe | null };

/** A difference to the previous release. */
export type ReleaseChange = { title: string; before: string | null; after: string | null; isCode?: boolean };

const recipeTitles: Record<keyof Recipe, string> = {
  framework: 'Framework',
  installCommand: 'Install command',
  buildCommand: 'Build command',
  startCommand: 'Start command',
  releaseCommand: 'Release command',
  outputDirectory: 'Output directory',
};

/** Returns the differences between two deployments, except those of variables. */
export function changesBetween(before: Side, after: Side): ReleaseChange[] {
  const [old, now] = [before.deployment, after.deployment];
  const changes: ReleaseChange[] = [
    { title: 'Commit', before: commitOf(old), after: commitOf(now) },
    { title: 'Branch', before: old.branch, after: now.branch },
    { title: 'Server', before: old.serverId ?? old.deployTarget, after: now.serverId ?? now.deployTarget },
    ...recipeChanges(before.recipe, after.recipe),
    ...serviceChanges(old, now),
  ];
  return changes.filter((change) => change.before !== change.after);
}

function commitOf({ commitSha, commitMessage }: Deployment): string | null {
  if (!commitSha) return null;
  return [commitSha.slice(0, 12), commitMessage?.split('\n', 1)[0]].filter(Boolean).join(' ');
}

/** Only where both are known: a rollback skips detection. */
function recipeChanges(before: Recipe | null, after: Recipe | null): ReleaseChange[] {
  if (!before || !after) return [];
  return (Object.keys(recipeTitles) as (keyof Recipe)[]).map((name) => ({
    title: recipeTitles[name],
    before: before[name],
    after: after[name],
    isCode: true,
  }));
}

/** Services that were added or removed. The plan lists the changes to the others. */
function serviceChanges({ services: before }: Deployment, { services: after }: Deployment): ReleaseChange[] {
  const list = (services: Deployment['services']) =>
    services
      .filter(({ status, change }) => status !== 'removed' && change !== 'remove')
      .map(({ name }) => name)
      .toSorted()
      .join(', ') || null;
  return [{ title: 'Services', before: list(before), after: list(after) }];
}
