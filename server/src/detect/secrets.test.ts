import { expect, it } from 'vitest';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const laravel = {
  'composer.json': '{"require":{"laravel/framework":"^12"}}',
  artisan: '',
  'public/index.php': '',
};
const rails = { Gemfile: "gem 'rails'", 'config/application.rb': 'Rails::Application' };
const phoenix = { 'mix.exs': 'app: :shop, {:phoenix, "~> 1.8"}' };

it.each([
  ['Laravel', laravel, ['APP_KEY']],
  ['Laravel with a key', { ...laravel, '.env': 'APP_KEY=base64:x\n' }, undefined],
  ['Rails', rails, ['SECRET_KEY_BASE', 'RAILS_MASTER_KEY']],
  ['Rails with a key', { ...rails, 'config/master.key': 'x' }, undefined],
  ['Phoenix', { ...phoenix, 'config/runtime.exs': 'System.get_env("SECRET_KEY_BASE")' }, ['SECRET_KEY_BASE']],
  ['Phoenix 1.5', { ...phoenix, 'config/releases.exs': 'System.get_env("SECRET_KEY_BASE")' }, ['SECRET_KEY_BASE']],
  ['Phoenix with a key in its settings', phoenix, undefined],
])('a missing secret of %s is generated, or a warning with a Dockerfile', async (_, files, variables) => {
  const { warnings, generated } = await detect(memoryTree(files));
  expect(generated.map(({ unlessVariables }) => unlessVariables)).toEqual(variables ? [variables] : []);
  expect(warnings.filter(({ message }) => message.includes('secret'))).toEqual([]);
  const own = await detect(memoryTree({ ...files, Dockerfile: 'FROM scratch' }));
  expect(own.generated).toEqual([]);
  expect(own.warnings.find(({ message }) => message.includes('secret'))?.unlessVariables).toEqual(variables);
});
