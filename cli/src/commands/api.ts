import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ApiError, type Schemas } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { Failure, isClosedPipe, UsageError } from '../errors.ts';
import { sendRequest } from '../instance.ts';
import { jsonText } from '../output.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const api = defineCommand({
  name: 'api',
  parameters: ['<path>'],
  summary: 'Send a request to the API and print the response',
  description: 'Streams are printed as they arrive. With --json, error bodies go to standard output too.',
  options: {
    method: { type: 'string', short: 'X', value: '<method>', help: 'HTTP method; default GET, or POST with data' },
    data: {
      type: 'string',
      short: 'd',
      value: '<json>',
      help: 'request body; @file reads a file, - reads standard input',
    },
  },
  async run({ args: [path = ''], values, out, instance }) {
    const here = instance();
    const target = targetOf(path, here.url);
    const method = methodOf(values.method, values.data);
    const body = values.data === undefined ? undefined : await bodyOf(values.data);
    const response = await sendRequest(here, target, {
      method,
      body,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
    });
    if (!response.ok) throw await refusal(response, out.json);
    await show(response);
  },
});

/** The token is sent only to the instance, however the path is written. */
function targetOf(path: string, url: string): URL {
  const target = URL.canParse(path, url) ? new URL(path, url) : undefined;
  if (target?.origin !== url || target.username)
    throw new UsageError(`${path} is not a path of ${url}; the token is sent to no other address`);
  return target;
}

function methodOf(given: string | undefined, data: string | undefined): string {
  const method = given?.toUpperCase() ?? (data === undefined ? 'GET' : 'POST');
  if (!methods.includes(method))
    throw new UsageError(`${given} is not an HTTP method; use one of ${methods.join(', ')}`);
  if (data !== undefined && (method === 'GET' || method === 'HEAD')) throw new UsageError(`${method} takes no data`);
  return method;
}

async function bodyOf(data: string): Promise<Uint8Array<ArrayBuffer> | string> {
  if (data === '-') return new Uint8Array(await buffer(process.stdin));
  return data.startsWith('@') ? new Uint8Array(readFileSync(data.slice(1))) : data;
}

async function show(response: Response): Promise<void> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  if (isJson && process.stdout.isTTY) process.stdout.write(`${jsonText(await response.json())}\n`);
  else if (response.body) await passOn(response.body);
}

async function passOn(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(body, process.stdout, { end: false });
  } catch (error) {
    throw isClosedPipe(error) ? error : new Failure(`the response was cut off: ${(error as Error).message}`);
  }
}

async function refusal(response: Response, withBody: boolean): Promise<ApiError> {
  const text = await response.text();
  if (withBody) process.stdout.write(`${text}\n`);
  return new ApiError(response.status, errorBody(text));
}

function errorBody(text: string): Schemas['Error'] | undefined {
  try {
    const body = JSON.parse(text) as Schemas['Error'] | null;
    return typeof body?.error === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}
