import { withoutComments } from '../json.ts';

const exported = /^[ \t]{0,40}(?:export\b|module\.exports\b|exports\.\w)|\bmodule\.exports\s*=/m;

// Calls that keep a program running or do its work, also if it exports something for tests.
const working =
  /\.(?:listen|login|launch|start|run|bootstrap|init)\s*\(|\b(?:listen|serve|createServer|bootstrap|main|start|startServer|setInterval|runApp)\s*\(|\brequire\.main\b|\bimport\.meta\.main\b|\bprocess\.(?:argv|on|exit|stdin)\b/;

/** Whether running a file does something. A file that only exports is a library, or a handler for a platform. */
export function isProgram(path: string, source: string, isBun: boolean): boolean {
  if (!/\.[cm]?[jt]sx?$|(?:^|\/)[\w-]+$/.test(path)) return false;
  const code = withoutComments(source);
  // Bun serves a default export.
  return !exported.test(code) || working.test(code) || (isBun && /\bexport default\b/.test(code));
}
