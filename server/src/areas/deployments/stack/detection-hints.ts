import type { DetectionHints } from '../model/recipe.ts';
import type { Detection } from '../../../detect/detect.ts';
import type { DeploymentConfig, DeploymentFailure } from '../model/model.ts';

const mostShown = 5;
/** Failures caused by the source, not by the machine or a registry. */
const explained = new Set(['build_failed', 'no_output', 'release_failed', 'crashed', 'check_failed']);

export function detectionHintsOf(
  found: Pick<Detection, 'apps' | 'variables' | 'defaults' | 'generated'>,
  { rootDirectory, variables }: Pick<DeploymentConfig, 'rootDirectory' | 'variables'>,
): DetectionHints {
  const known = [...variables, ...found.defaults, ...found.generated].map(({ key }) => key);
  const set = new Set([...known, 'PORT', 'HOST', 'NODE_ENV']);
  return {
    apps: found.apps.map((app) => app.rootDirectory).filter((folder) => folder !== rootDirectory),
    unset: found.variables.map(({ key }) => key).filter((key) => !set.has(key)),
  };
}

/** `14 variables that the source names are not set: DATABASE_URL and 13 more`; undefined if all are set. */
export function unsetSentence({ unset }: DetectionHints): string | undefined {
  if (!unset.length) return undefined;
  const [count, verb] = unset.length === 1 ? ['1 variable', 'is'] : [`${unset.length} variables`, 'are'];
  const more = unset.length > mostShown ? ` and ${unset.length - mostShown} more` : '';
  return `${count} that the source names ${verb} not set: ${unset.slice(0, mostShown).join(', ')}${more}`;
}

export function monorepoSentence({ apps }: DetectionHints): string | undefined {
  if (!apps.length) return undefined;
  const commands = apps.slice(0, mostShown).map((folder) => `\`mooring deploy --root ${folder}\``);
  return `The source is a monorepo. Deploy one of its apps: ${commands.join(' or ')}.`;
}

/** Adds detection's findings to the failure, with the commands that fix it. */
export function withDetectionHints(
  failure: DeploymentFailure,
  hints: DetectionHints | undefined,
  { slug }: Pick<DeploymentConfig, 'slug'>,
): DeploymentFailure {
  if (!hints || !explained.has(failure.code)) return failure;
  // The hint may name the variable that the output asks for.
  const unset = hints.unset.filter((key) => !failure.hint?.startsWith(`${key} is not set`));
  const sentence = unsetSentence({ ...hints, unset });
  const more = [
    monorepoSentence(hints),
    sentence && `${sentence}. Set ${unset.length === 1 ? 'it' : 'them'} with \`mooring env set ${slug} ${unset[0]}\`.`,
  ].filter((each) => each !== undefined);
  return more.length ? { ...failure, hint: [failure.hint, ...more].filter(Boolean).join(' ') } : failure;
}
