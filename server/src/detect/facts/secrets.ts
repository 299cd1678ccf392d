import type { Detection, SourceTree } from '../detect.ts';

/** A secret without which a framework answers every request with an error, or does not start. */
type Rule = { name: string; variables: string[]; how: string; isKept: (tree: SourceTree) => Promise<boolean> };

const keeps =
  (file: string, pattern: RegExp): Rule['isKept'] =>
  async (tree) =>
    pattern.test((await tree.read(file)) ?? '');

const rules: Record<string, Rule> = {
  laravel: {
    name: 'Laravel',
    variables: ['APP_KEY'],
    how: 'with the output of `php artisan key:generate --show`',
    isKept: keeps('.env', /^APP_KEY=\S/m),
  },
  rails: {
    name: 'Rails',
    variables: ['SECRET_KEY_BASE', 'RAILS_MASTER_KEY'],
    how: 'SECRET_KEY_BASE with the output of `rails secret`, or RAILS_MASTER_KEY with the text of config/master.key',
    isKept: async (tree) =>
      (await keeps('config/master.key', /\S/)(tree)) ||
      (await keeps('config/secrets.yml', /^production:\s{1,20}secret_key_base:\s{1,9}\w/m)(tree)),
  },
  phoenix: {
    name: 'Phoenix',
    variables: ['SECRET_KEY_BASE'],
    how: 'with the output of `mix phx.gen.secret`',
    // Phoenix 1.5 reads it from releases.exs.
    isKept: async (tree) =>
      !(await keeps('config/runtime.exs', /SECRET_KEY_BASE/)(tree)) &&
      !(await keeps('config/releases.exs', /SECRET_KEY_BASE/)(tree)),
  },
};

/** Returns a secret that the source cannot contain. With a Dockerfile, which may have its own, it is only a warning. */
export async function requiredSecrets(
  tree: SourceTree,
  framework: string | null,
  hasDockerfile: boolean,
): Promise<Partial<Detection>> {
  const rule = framework !== null && Object.hasOwn(rules, framework) ? rules[framework] : undefined;
  if (!rule || (await rule.isKept(tree))) return {};
  const { name, variables, how } = rule;
  if (!hasDockerfile)
    return {
      generated: [
        { key: variables[0]!, form: framework === 'laravel' ? 'laravel' : 'hex', unlessVariables: variables },
      ],
      reasons: [`${name}: generated once, unless the project sets a value: ${variables[0]}`],
    };
  const what = variables.length === 1 ? `${variables[0]} ` : '';
  const message = `${name} does not work without a secret: set the variable ${what}${how}.`;
  return { warnings: [{ message, unlessVariables: variables }] };
}
