import { describe, expect, it } from 'vitest';
import { registryAuthHeader, credentialFor, parseReference, shortName } from './references.ts';

const digest = `sha256:${'0'.repeat(64)}`;

describe('image names', () => {
  it.each([
    ['node', 'docker.io', 'library/node', 'latest', 'node:latest'],
    ['team/app:1', 'docker.io', 'team/app', '1', 'team/app:1'],
    ['docker.io/node:20', 'docker.io', 'library/node', '20', 'node:20'],
    ['index.docker.io/a/b', 'docker.io', 'a/b', 'latest', 'a/b:latest'],
    ['localhost/a', 'localhost', 'a', 'latest', 'localhost/a:latest'],
    ['reg:5000/a/b/c:x.Y_z-1', 'reg:5000', 'a/b/c', 'x.Y_z-1', 'reg:5000/a/b/c:x.Y_z-1'],
    ['[::1]:5000/a', '[::1]:5000', 'a', 'latest', '[::1]:5000/a:latest'],
    ['Reg/a', 'Reg', 'a', 'latest', 'Reg/a:latest'],
    [`a@${digest}`, 'docker.io', 'library/a', undefined, `a@${digest}`],
    [`a:1@${digest}`, 'docker.io', 'library/a', '1', `a:1@${digest}`],
  ])('parse %s', (text, registry, repository, tag, short) => {
    const reference = parseReference(text)!;
    expect(reference).toMatchObject({ registry, repository, tag });
    expect(shortName(reference)).toBe(short);
  });

  it.each([
    '',
    'A',
    '/a',
    'a/',
    'a//b',
    'a:',
    'a b',
    'a\n',
    '../a',
    'a/../b',
    '-a',
    'a?b',
    'a#b',
    'a%2e',
    'a@sha256:1',
    'a:b:c',
    'x'.repeat(600),
    'a;b',
    '$(x)',
    '`x`',
  ])('reject %j', (text) => {
    expect(parseReference(text)).toBeUndefined();
  });
});

describe('credentials', () => {
  const credentials = [
    { registry: 'reg.example.com', username: 'u', password: 'p' },
    { registry: 'https://index.docker.io/v1/', username: 'hub', password: 'ü' },
  ];

  it('are used for their registry only', () => {
    expect(credentialFor('reg.example.com', credentials)?.username).toBe('u');
    expect(credentialFor('registry-1.docker.io', credentials)?.username).toBe('hub');
    expect(credentialFor('docker.io', credentials)?.username).toBe('hub');
    for (const other of ['reg.example.com:443', 'evil-reg.example.com', 'example.com', 'reg.example.com.evil'])
      expect(credentialFor(other, credentials)).toBeUndefined();
  });

  it('are encoded as the engine expects', () => {
    const read = (header: string | undefined) => JSON.parse(Buffer.from(header!, 'base64url').toString()) as unknown;
    expect(read(registryAuthHeader(credentials[1])['x-registry-auth'])).toEqual({
      username: 'hub',
      password: 'ü',
      serveraddress: 'https://index.docker.io/v1/',
    });
    expect(registryAuthHeader(credentials[1])['x-registry-auth']!.length % 4).toBe(0);
    expect(registryAuthHeader(undefined)).toEqual({});
  });
});
