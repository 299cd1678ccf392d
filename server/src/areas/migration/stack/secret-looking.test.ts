import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelsWithoutSecrets, looksSecret, withoutSecrets } from './secret-looking.ts';

describe('secret detection', () => {
  it.each([
    ['POSTGRES_PASSWORD', 'x'],
    ['api_key', 'x'],
    ['GITHUB_TOKEN', 'x'],
    ['MYSQL_ROOT_PASS', 'x'],
    ['AWS_CREDENTIALS', 'x'],
    ['SENTRY_DSN', 'https://abc@sentry.example.com/1'],
    ['DATABASE_URL', 'postgres://me:pw@db/x'],
    ['REDIS', 'redis://:pw@cache:6379'],
    ['ADO', 'Server=db;User=me;Password=pw;'],
    ['CERT', '-----BEGIN RSA PRIVATE KEY-----\nx'],
    ['JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'],
    ['X', 'ghp_0123456789abcdef0123456789abcdef0123'],
    ['X', 'AKIAIOSFODNN7EXAMPLE'],
    ['HASH', '0123456789abcdef0123456789abcdef'],
    ['BLOB', 'word '.repeat(1000)],
  ])('matches %s=%s', (key, value) => expect(looksSecret(key, value)).toBe(true));

  it.each([
    ['NODE_ENV', 'production'],
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin'],
    ['HOST', 'https://example.com/some/path?x=1'],
    ['PWD', '/srv'],
    ['EMPTY_PASSWORD', ''],
    ['GREETING', 'a sentence that is longer than all of the keys that people have'],
  ])('does not match %s=%s', (key, value) => expect(looksSecret(key, value)).toBe(false));

  it('redacts commands and labels', () => {
    expect(
      withoutSecrets(
        ['redis-server', '--requirepass', 'hunter2', '--port', '1', '--auth-token=abc', 'say hunter2hunter2'],
        ['hunter2hunter2'],
      ),
    ).toEqual(['redis-server', '--requirepass', '[hidden]', '--port', '1', '--auth-token=[hidden]', 'say [hidden]']);
    expect(labelsWithoutSecrets({ 'db.password': 'x', note: 'is hunter2hunter2' }, ['hunter2hunter2'])).toEqual({
      'db.password': '[hidden]',
      note: 'is [hidden]',
    });
  });

  it('is fast for any text', () => {
    const began = performance.now();
    fc.assert(
      fc.property(
        fc.constantFrom('a', 'a:', '://', 'a://', '@', 'password=', '-', 'eyJ.', '='),
        fc.nat(4000),
        (text, times) => {
          looksSecret(text.repeat(times), text.repeat(times));
          withoutSecrets([text.repeat(times)], []);
        },
      ),
    );
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
