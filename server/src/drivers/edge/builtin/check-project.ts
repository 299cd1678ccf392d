import { isAbsolute } from 'node:path';
import type { ListenerOwner } from '../../host/listeners.ts';
import type { EdgeProject, EdgeRoute, EdgeTarget, Upstream } from '../edge.ts';
import { readHost } from './request-target.ts';

export class InvalidProjectError extends Error {
  override name = 'InvalidProjectError';
}

/** Validates a project before the edge stores and serves it. */
export function checkProject(input: Record<string, unknown>): EdgeProject {
  const { key, fence, routes } = input as Partial<EdgeProject>;
  need(typeof key === 'string' && key.length > 0 && key.length < 500, 'key is not a name');
  need(Number.isSafeInteger(fence), 'fence is not a whole number');
  need(Array.isArray(routes), 'routes is not a list');
  const checked = routes!.map(checkRoute);
  const names = checked.map(({ host, path }) => host + path);
  need(new Set(names).size === names.length, 'a host and path appears twice');
  return { key: key!, fence: fence!, routes: checked };
}

function checkRoute({ host, path, deploymentId, target, https, hstsSeconds }: Partial<EdgeRoute>): EdgeRoute {
  need(typeof host === 'string' && readHost(host) === host, `${String(host)} is not a host name in lower case`);
  need(typeof path === 'string' && /^\/[^?#\s]*$/.test(path), `${String(path)} is not a path`);
  need(typeof deploymentId === 'string' && deploymentId.length > 0, 'deploymentId is missing');
  need(https === undefined || https === 'redirect', 'https must be redirect or optional');
  need(
    hstsSeconds === undefined || (Number.isSafeInteger(hstsSeconds) && hstsSeconds >= 0),
    'hstsSeconds is not a number',
  );
  return {
    host: host!,
    path: path!,
    deploymentId: deploymentId!,
    target: checkTarget(target),
    ...(https && { https }),
    ...(hstsSeconds !== undefined && { hstsSeconds }),
  };
}

function checkTarget(target: EdgeTarget | undefined): EdgeTarget {
  if (target?.type === 'upstream') {
    const { others } = target;
    need(others === undefined || (Array.isArray(others) && others.length < 1000), 'others is not a list');
    return { type: 'upstream', ...checkUpstream(target), ...(others && { others: others.map(checkUpstream) }) };
  }
  if (target?.type === 'redirect') {
    const { to, status } = target;
    need(typeof to === 'string' && isOrigin(to), `${to} is not an origin`);
    need([301, 302, 307, 308].includes(status), `${status} does not redirect`);
    return { type: 'redirect', to, status };
  }
  need(target?.type === 'static', 'the target has no type');
  const { folder, fallback, within } = target as Extract<EdgeTarget, { type: 'static' }>;
  need(typeof folder === 'string' && isAbsolute(folder), 'folder is not an absolute path');
  need(fallback === null || typeof fallback === 'string', 'fallback is not a file name');
  need(within === undefined || (typeof within === 'string' && isAbsolute(within)), 'within is not an absolute path');
  return { type: 'static', folder, fallback, ...(within && { within }) };
}

function checkUpstream({ host, port, listener, socketPath }: Upstream): Upstream {
  need(typeof host === 'string' && host.length > 0, 'the target has no host');
  need(Number.isInteger(port) && port > 0 && port < 65_536, `${String(port)} is not a port`);
  need(socketPath === undefined || (typeof socketPath === 'string' && isAbsolute(socketPath)), 'socketPath is no path');
  return { host, port, ...(listener && { listener: checkListener(listener) }), ...(socketPath && { socketPath }) };
}

function checkListener(listener: ListenerOwner): ListenerOwner {
  const { uid, stateFile } = listener as { uid?: unknown; stateFile?: unknown };
  if (typeof stateFile === 'string' && isAbsolute(stateFile)) return { stateFile };
  need(Number.isSafeInteger(uid), 'listener names neither a user nor a file');
  return { uid: uid as number };
}

/** Accepts the canonical form only, so that no client can parse it differently. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.origin === text && (url.protocol === 'https:' || url.protocol === 'http:');
}

function need(condition: boolean, otherwise: string): void {
  if (!condition) throw new InvalidProjectError(otherwise);
}
