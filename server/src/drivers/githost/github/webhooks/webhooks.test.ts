import { createRequire } from 'node:module';
import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWebhook } from './events.ts';
import { isSigned, signatureOf } from './signature.ts';

const load = createRequire(import.meta.url);
type Recorded = { name: string; examples: object[] };
const recordings = ['api.github.com', 'ghes-31', 'ghes-35'].flatMap(
  (host) => load(`@octokit/webhooks-examples/${host}/index.json`) as Recorded[],
);
const examples = (name: string): object[] =>
  recordings.filter((each) => each.name === name).flatMap((each) => each.examples);
const read = (name: string, payload: unknown) => parseWebhook(name, Buffer.from(JSON.stringify(payload)));
const secret = 'a secret of one repository';

describe('webhook signatures', () => {
  const body = Buffer.from('{"ref": "refs/heads/main",  "text": "é💥"}');

  it("match GitHub's documented example", () => {
    expect(signatureOf(Buffer.from('Hello, World!'), "It's a Secret to Everybody")).toBe(
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    );
  });

  it('are valid for exactly the signed bytes and any of the secrets', () => {
    expect(isSigned(body, signatureOf(body, secret), [secret])).toBe(true);
    expect(isSigned(body, signatureOf(body, secret), ['another', '', secret])).toBe(true);
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(isSigned(rewritten, signatureOf(body, secret), [secret]), 'written anew').toBe(false);
    expect(isSigned(Buffer.alloc(0), signatureOf(body, secret), [secret])).toBe(false);
  });

  it('are invalid without a secret or with an empty one', () => {
    for (const secrets of [[], [''], ['', '']]) {
      expect(isSigned(body, signatureOf(body, ''), secrets)).toBe(false);
      expect(isSigned(body, undefined, secrets)).toBe(false);
    }
  });

  it('are invalid in any other format', () => {
    const right = signatureOf(body, secret);
    const wrong = [
      '',
      'sha256=',
      right.slice(0, -1),
      `${right}0`,
      right.slice(7),
      right.replace('sha256', 'sha1'),
      ` ${right}`,
    ];
    for (const header of [...wrong, `${right}, ${right}`, right.toUpperCase(), 'sha256=é', `${right}\n`])
      expect(isSigned(body, header, [secret]), header).toBe(false);
    expect(isSigned(body, undefined, [secret])).toBe(false);
    expect(isSigned(body, [right, right], [secret])).toBe(false);
  });

  it('are invalid for other bytes', () => {
    const header = signatureOf(body, secret);
    assert(property(uint8Array({ maxLength: 64 }), (bytes) => !isSigned(Buffer.from(bytes), header, [secret])));
  });
});

describe('recorded webhooks', () => {
  it('all parse', () => {
    expect(recordings.length).toBeGreaterThan(100);
    for (const { name, examples } of recordings)
      for (const each of examples) expect(read(name, each).type, name).toBeTruthy();
  });

  it('of pushes give the ref, commits and files', () => {
    const pushes = examples('push').map((each) => read('push', each));
    expect(pushes.length).toBeGreaterThan(5);
    expect(pushes).toContainEqual(
      expect.objectContaining({
        type: 'push',
        ref: { kind: 'tag', name: 'simple-tag' },
        isDeleted: true,
        commitSha: null,
      }),
    );
    const branch = pushes.find((each) => each.type === 'push' && each.ref.kind === 'branch');
    expect(branch).toMatchObject({
      repository: { owner: expect.any(String), name: expect.any(String), id: expect.any(Number) },
      commitSha: expect.stringMatching(/^[0-9a-f]{40}$/),
      beforeSha: null,
      changedFiles: [expect.any(String)],
      hasAllFiles: false,
      message: expect.stringMatching(/./),
      isForced: false,
    });
  });

  it('of installations give the action and the repositories', () => {
    const actions = examples('installation').map((each) => read('installation', each));
    const seen = new Set(actions.map((each) => each.type === 'installation' && each.action));
    expect(seen).toEqual(new Set(['created', 'deleted', 'suspended', 'resumed', 'changed']));
    const renamed = {
      action: 'renamed',
      account: { id: 5, login: 'crew', type: 'Organization' },
      changes: { login: { from: 'team' } },
      installation: { id: 70, node_id: 'MDIz' },
      target_type: 'Organization',
    };
    const installation = { id: 70, account: { id: 5, login: 'crew', type: 'organization' } };
    expect(read('installation_target', renamed)).toEqual({ type: 'installation', action: 'renamed', installation });
    const lists = examples('installation_repositories').map((each) => read('installation_repositories', each));
    for (const each of lists)
      expect(each).toMatchObject({
        type: 'repositories',
        installation: { id: expect.any(Number), account: { login: expect.stringMatching(/./) } },
      });
    expect(lists.some((each) => each.type === 'repositories' && each.added.length)).toBe(true);
    expect(lists.some((each) => each.type === 'repositories' && each.removed.length)).toBe(true);
  });

  it('of branches, tags and pings parse', () => {
    expect(read('create', examples('create')[0])).toMatchObject({
      type: 'ref_created',
      ref: { kind: 'tag', name: 'simple-tag' },
    });
    expect(read('delete', examples('delete')[0])).toMatchObject({
      type: 'ref_deleted',
      ref: { kind: 'tag', name: 'simple-tag' },
    });
    expect(examples('ping').map((each) => read('ping', each))).toContainEqual(
      expect.objectContaining({ type: 'ping', hookId: expect.any(Number) }),
    );
  });
});

describe('webhooks', () => {
  const sha = (digit: string) => digit.repeat(40);
  const repository = { id: 1, name: 'shop', owner: { login: 'team' } };
  const commit = (id: string, modified: string[]) => ({ id, added: [], removed: [], modified });
  const push = {
    ref: 'refs/heads/a/b',
    before: sha('1'),
    after: sha('2'),
    repository,
    commits: [commit(sha('2'), ['x/y'])],
  };

  it('list the changed files and say whether the list is complete', () => {
    expect(read('push', push)).toMatchObject({
      ref: { kind: 'branch', name: 'a/b' },
      changedFiles: ['x/y'],
      hasAllFiles: true,
    });
    const many = Array.from({ length: 2048 }, (_, i) => commit(i === 2047 ? sha('2') : sha('3'), ['z']));
    const partly = [
      { created: true },
      { forced: true },
      { commits: [] },
      { commits: [commit(sha('3'), [])] },
      { commits: many },
    ];
    for (const change of [...partly, { commits: undefined }, { commits: [{ id: sha('2') }] }])
      expect(read('push', { ...push, ...change }), JSON.stringify(change).slice(0, 80)).toMatchObject({
        hasAllFiles: false,
      });
    expect(read('push', { ...push, after: sha('0') })).toMatchObject({ isDeleted: true, commitSha: null });
    expect(read('push', { ...push, before: sha('0'), created: true })).toMatchObject({ beforeSha: null });
  });

  it('of unknown types are ignored, and malformed ones rejected', () => {
    expect(read('star', { whatever: 1 })).toEqual({ type: 'other', name: 'star' });
    expect(parseWebhook('__proto__', Buffer.from('no json'))).toEqual({ type: 'other', name: '__proto__' });
    expect(
      read('installation', { action: 'toString', installation: { id: 1, account: { id: 2, login: 'x' } } }),
    ).toMatchObject({ action: 'changed' });
    const broken = [
      null,
      [],
      1,
      {},
      { ...push, after: '--upload-pack=x' },
      { ...push, ref: 'main' },
      { ...push, repository: null },
    ];
    for (const each of broken)
      expect(() => read('push', each), JSON.stringify(each)).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(() => parseWebhook('push', Buffer.from('{'))).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('may be form-encoded', () => {
    const body = new URLSearchParams({ payload: JSON.stringify(push) }).toString();
    expect(parseWebhook('push', Buffer.from(body), 'application/x-www-form-urlencoded')).toMatchObject({
      type: 'push',
    });
  });
});
