import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Answer, refusal, signatureProblem, sum, sumProblem } from './s3-signature.ts';

export { s3Key } from './s3-signature.ts';

type Stored = { content: Buffer; etag: string; at: number };
type Asked = { method: string; key: string; query: URLSearchParams; headers: IncomingMessage['headers']; body: Buffer };
/** A small S3 for tests that need a fast one. It verifies signatures, lengths and checksums. */
export interface RigS3 {
  endpoint: string;
  objects: Map<string, Stored>;
  uploads: Map<string, { key: string; parts: Map<number, Stored> }>;
  /** Most parts in one response. */
  partsPerPage: number;
  /** All requests so far, as `PUT key?query`. */
  asked: string[];
  /** Runs before the response; returns true if it has responded itself. */
  interfere: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  stop(): Promise<void>;
}

export async function startRigS3(tls?: { key: string; cert: string }): Promise<RigS3> {
  const rig = { objects: new Map(), uploads: new Map(), partsPerPage: 1000, asked: [] } as unknown as RigS3;
  rig.interfere = () => false;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, 'http://rig');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    rig.asked.push(`${request.method} ${key}${url.search}`);
    if (await rig.interfere(request, response)) return;
    const wrong = signatureProblem(request, url);
    if (!wrong && request.headers.expect) response.writeContinue();
    const chunks: Buffer[] = [];
    if (!wrong) for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', headers } = request;
    const body = Buffer.concat(chunks);
    const {
      status,
      body: text,
      headers: more,
    } = wrong ?? sumProblem(headers, body) ?? answerOf(rig, { method, key, query: url.searchParams, headers, body });
    response.writeHead(status, { ...more, ...(wrong && { connection: 'close' }) }).end(text);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void listener(request, response).catch(() => request.destroy());
  const server = tls ? createSecureServer(tls, onRequest) : createServer(onRequest);
  server.on('checkContinue', onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rig.endpoint = `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  rig.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return rig;
}

const stored = (content: Buffer): Stored => ({
  content,
  etag: `"${sum('md5', content).digest('hex')}"`,
  at: Date.now(),
});

function answerOf(rig: RigS3, asked: Asked): Answer {
  const { method, key, query, headers, body } = asked;
  if (!key && query.has('uploads')) return listedUploads(rig, query);
  if (!key) return method === 'GET' ? listed(rig, query) : refusal(405, 'MethodNotAllowed');
  if (query.has('uploads') || query.has('uploadId')) return multipart(rig, asked);
  if (method === 'PUT') {
    const copy = copied(rig, headers);
    if (copy && 'status' in copy) return copy;
    const object = stored(copy ?? body);
    rig.objects.set(key, object);
    return { status: 200, headers: { etag: object.etag }, ...(copy && copyResult('CopyObjectResult', object)) };
  }
  if (method === 'DELETE') return rig.objects.delete(key) ? { status: 204 } : { status: 204 };
  const object = rig.objects.get(key);
  if (!object) return refusal(404, 'NoSuchKey');
  const { content, etag } = object;
  if (headers['if-match'] && headers['if-match'] !== etag) return refusal(412, 'PreconditionFailed');
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (from === undefined) return { status: 200, body: content, headers: { etag } };
  if (Number(from) >= content.length) return refusal(416, 'InvalidRange');
  const part = content.subarray(Number(from), to ? Number(to) + 1 : undefined);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${content.length}`;
  return { status: 206, body: part, headers: { etag, 'content-range': range } };
}

/** The source of a copy request; undefined if the request has a body. */
function copied({ objects }: RigS3, headers: IncomingMessage['headers']): Buffer | Answer | undefined {
  const source = headers['x-amz-copy-source'];
  if (typeof source !== 'string') return undefined;
  const object = objects.get(decodeURIComponent(source.split('/').slice(2).join('/')));
  if (!object) return refusal(404, 'NoSuchKey');
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'])) ?? [];
  return from === undefined ? object.content : object.content.subarray(Number(from), Number(to) + 1);
}

const copyResult = (name: string, { etag }: Stored) => ({
  body: `<${name}><ETag>${etag.replaceAll('"', '&quot;')}</ETag></${name}>`,
});

function multipart(rig: RigS3, { method, key, query, headers, body }: Asked): Answer {
  const id = query.get('uploadId') ?? randomUUID();
  if (query.has('uploads')) {
    rig.uploads.set(id, { key, parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  const upload = rig.uploads.get(id);
  if (!upload) return refusal(404, 'NoSuchUpload');
  if (method === 'GET') return listedParts(rig, upload.parts, Number(query.get('part-number-marker')));
  if (method === 'DELETE') return rig.uploads.delete(id) ? { status: 204 } : refusal(404, 'NoSuchUpload');
  if (method === 'PUT') {
    const copy = copied(rig, headers);
    if (copy && 'status' in copy) return copy;
    const part = stored(copy ?? body);
    upload.parts.set(Number(query.get('partNumber')), part);
    return { status: 200, headers: { etag: part.etag }, ...(copy && copyResult('CopyPartResult', part)) };
  }
  const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag>/g)];
  const parts = wanted.map(([, number, etag]) => ({ etag, part: upload.parts.get(Number(number)) }));
  if (parts.some(({ etag, part }) => part?.etag !== `"${etag}"`)) return refusal(400, 'InvalidPart');
  const object = stored(Buffer.concat(parts.map(({ part }) => part!.content)));
  rig.objects.set(key, object);
  rig.uploads.delete(id);
  const etag = object.etag.replaceAll('"', '&quot;');
  return { status: 200, body: `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>` };
}

function listedUploads({ uploads }: RigS3, query: URLSearchParams): Answer {
  const entries = [...uploads]
    .filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
    .map(([id, { key }]) => `<Upload><Key>${encodeURIComponent(key)}</Key><UploadId>${id}</UploadId></Upload>`);
  const head = '<EncodingType>url</EncodingType>';
  return { status: 200, body: `<ListMultipartUploadsResult>${head}${entries.join('')}</ListMultipartUploadsResult>` };
}

function listedParts({ partsPerPage }: RigS3, parts: Map<number, Stored>, after: number): Answer {
  const left = [...parts].sort(([a], [b]) => a - b).filter(([number]) => number > after);
  const entries = left.slice(0, partsPerPage).map(([number, { content, etag }]) => {
    const tag = etag.replaceAll('"', '&quot;');
    return `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag><Size>${content.length}</Size></Part>`;
  });
  const isCut = `<IsTruncated>${left.length > partsPerPage}</IsTruncated>`;
  return { status: 200, body: `<ListPartsResult>${isCut}${entries.join('')}</ListPartsResult>` };
}

function listed({ objects }: RigS3, query: URLSearchParams): Answer {
  const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token') ?? ''];
  const bytes = (key: string) => Buffer.from(key);
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(prefix) && (!after || Buffer.compare(bytes(key), Buffer.from(after, 'base64')) > 0))
    .sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
  const page = keys.slice(0, 1000);
  const entries = page.map((key) => {
    const { content, at } = objects.get(key)!;
    const time = new Date(at).toISOString();
    return `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${time}</LastModified><Size>${content.length}</Size></Contents>`;
  });
  const isCut = page.length < keys.length;
  const next = isCut ? `<NextContinuationToken>${bytes(page.at(-1)!).toString('base64')}</NextContinuationToken>` : '';
  const head = `<EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}`;
  return {
    status: 200,
    body: `<?xml version="1.0"?><ListBucketResult xmlns="x">${head}${entries.join('')}</ListBucketResult>`,
  };
}
