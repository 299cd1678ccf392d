import { compare } from 'bcryptjs';
import { expect, it } from 'vitest';
import { htpasswdLine } from './htpasswd.ts';

it('hashes the password with bcrypt, which registries require', async () => {
  const line = await htpasswdLine('mooring', 'secret');
  const [, hash = ''] = /^mooring:(\$2[aby]\$05\$[./A-Za-z0-9]{53})\n$/.exec(line) ?? [];
  expect(await compare('secret', hash)).toBe(true);
});
