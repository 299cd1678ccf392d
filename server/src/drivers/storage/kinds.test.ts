import { describe, expect, it } from 'vitest';
import { storageKind, storageKinds } from './index.ts';
import { partBytes, usualPlan } from './s3/part-plan.ts';
import { encodedForSignature, signedHeaders } from './s3/sigv4.ts';
import { readXml } from './http/xml.ts';
import { testStorageContext } from './storage-rig.ts';

describe('storage kinds', () => {
  it('are those of the interface, each with its fields', () => {
    expect(storageKinds.map(({ kind }) => kind)).toEqual(['s3_compatible', 'sftp', 'platform_server', 'local']);
    expect(storageKind('http_upload')).toBeUndefined();
    const named = (pick: (field: { isSecret: boolean; isRequired: boolean }) => boolean) =>
      storageKinds.map(({ fields }) => fields.filter(pick).map(({ name }) => name));
    expect(named(({ isRequired }) => isRequired)).toEqual([
      ['bucket', 'accessKeyId', 'secretAccessKey'],
      ['sshHost', 'sshUser'],
      ['serverId'],
      ['endpoint'],
    ]);
    expect(named(({ isSecret }) => isSecret)).toEqual([
      ['accessKeyId', 'secretAccessKey'],
      ['sftpPassword', 'sftpPrivateKey', 'sftpKeyPassphrase'],
      [],
      [],
    ]);
    expect(storageKind('sftp')!.oneOf).toEqual([['sftpPassword', 'sftpPrivateKey']]);
    for (const { fields } of storageKinds) for (const { label, help } of fields) expect(label && help).toBeTruthy();
  });

  it.each([
    [
      's3_compatible',
      'bucket',
      ['a/b', '../x', 'a b', '', 'a?b', 'a\nb', '-x', 'x'.repeat(300)],
      ['my-bucket', 'b', 'A_b.c'],
    ],
    ['s3_compatible', 'region', ['eu.example.com/', 'a b', 'x@y', 'é'], ['eu-central-1', 'auto', 'US']],
    [
      's3_compatible',
      'endpoint',
      ['s3.example.com', 'ftp://x', 'file:///etc', 'https://user:pw@x', 'https://x/?a=b', 'https://x/#a', 'http://'],
      ['https://s3.example.com', 'http://10.0.0.1:9000', 'https://x/base'],
    ],
    [
      'sftp',
      'sshHost',
      ['a b', 'user@host', 'host/path', 'ssh://host', 'host:22', '10.0.0.1:22', '[::1]:22', '$(id)'],
      ['host', '10.0.0.1', '::1', '[::1]'],
    ],
    ['sftp', 'sshPort', [0, -1, 65_536, 2.5, 'x'], [22, '2222', 65_535]],
    ['sftp', 'sshUser', ['a b', 'a\nb'], ['root', 'u123-sub1', 'user@domain']],
  ] as const)('%s validates %s', async (kind, name, wrong, fine) => {
    const check = (value: string | number) => storageKind(kind)!.check({ [name]: value }, testStorageContext());
    for (const value of fine) expect(await check(value), `${value}`).toBeUndefined();
    for (const value of wrong) if (value !== '') expect(await check(value), `${value}`).toMatchObject({ field: name });
  });

  it('fail to open with the missing field', async () => {
    for (const kind of storageKinds) {
      const opening = kind.open({}, testStorageContext());
      await expect(opening, kind.kind).rejects.toMatchObject({ name: 'StorageError', code: 'misconfigured' });
    }
  });
});

describe('S3 helpers', () => {
  it('parts fit an object of 5 TiB, in 10,000 parts of at most 5 GiB', () => {
    let bytes = 0;
    for (let number = 1; number <= 10_000; number++) bytes += partBytes(number, usualPlan)!;
    expect(bytes).toBeGreaterThanOrEqual(5 * 1024 ** 4);
    expect(partBytes(10_001, usualPlan)).toBeUndefined();
    for (const each of usualPlan) expect(each.bytes).toBeLessThanOrEqual(5 * 1024 ** 3);
  });

  it("signature matches the example of Amazon's documentation", () => {
    const credentials = {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    };
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const headers = { host: 'examplebucket.s3.amazonaws.com' };
    const request = { method: 'GET', path: '/', query: { lifecycle: '' }, headers, payloadSha256: empty };
    const { authorization } = signedHeaders(request, credentials, 'us-east-1', new Date('2013-05-24T00:00:00Z'));
    expect(authorization).toContain('Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543');
    expect(encodedForSignature("a b+c/d~e*f'g(h)!")).toBe('a%20b%2Bc%2Fd~e%2Af%27g%28h%29%21');
  });

  it('XML reader accepts valid documents only', () => {
    expect(readXml('<?xml version="1.0"?>\n<a x="1"><b>1 &amp; &#50;&#x33;</b><c/></a>')).toEqual({
      name: 'a',
      text: '',
      children: [
        { name: 'b', text: '1 & 23', children: [] },
        { name: 'c', text: '', children: [] },
      ],
    });
    const wrong = [
      '',
      'text',
      '<a>',
      '<a></b>',
      '</a>',
      '<a/><b/>',
      '<!DOCTYPE a><a/>',
      '<a>&x;</a>',
      '<a>&#x110000;</a>',
    ];
    const deep = `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`;
    for (const document of [...wrong, '<a', '<a b=c/>', deep])
      expect(readXml(document), document.slice(0, 20)).toBeUndefined();
    const began = Date.now();
    readXml(`<a>${'<!-- - '.repeat(100_000)}`);
    readXml(`<a ${'x="1" '.repeat(100_000)}`);
    expect(Date.now() - began).toBeLessThan(2_000);
  });
});
