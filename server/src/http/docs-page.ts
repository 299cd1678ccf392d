type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  description?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
};
type Operation = {
  tags: string[];
  summary: string;
  description?: string;
  'x-permission': string;
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};
export type OpenApi = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

type Entry = { method: string; path: string; operation: Operation };

/** Renders the API reference as one HTML page without scripts or external resources. */
export function docsPage({ info, tags, paths, components }: OpenApi): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const of = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag));
  const menu = tags.map(
    ({ name }) => `<li><a href="#${name}">${text(name)}</a><ul>${of(name).map(menuEntry).join('')}</ul></li>`,
  );
  const sections = tags.map(
    ({ name, description }) =>
      `<section><h2 id="${name}">${text(name)}</h2><p>${text(description)}</p>${of(name)
        .map((entry) => article(entry, components.schemas))
        .join('')}</section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API ${text(info.version)}</title><style>${styles}</style></head><body>
<nav><h1>${text(info.title)} API</h1><p>${text(info.version)} · <a href="/api/openapi.json">OpenAPI document</a></p><ul>${menu.join('')}</ul></nav>
<main><p class="lead">${prose(info.description)}</p>${intro}${sections.join('')}</main></body></html>`;
}

const intro = `<p>Send <code>Authorization: Bearer mrg_pat_…</code>. Responses are <code>{"success": true, "data": …}</code>; errors are
<code>{"success": false, "error", "code"}</code> with a message for people and a code for programs: 400 invalid input, 401
missing or invalid credentials, 403 not permitted, 404 not found, 409 conflict, 413 too large, 429 too many requests (see <code>Retry-After</code>).</p>
<pre>curl -H "Authorization: Bearer $MOORING_TOKEN" http://127.0.0.1:4600/api/me</pre>`;

const anchor = ({ method, path }: Entry) => `${method}-${path.replace(/[^a-z]+/gi, '-')}`;

const menuEntry = (entry: Entry) => `<li><a href="#${anchor(entry)}">${text(entry.operation.summary)}</a></li>`;

function article(entry: Entry, schemas: Record<string, Schema>): string {
  const { method, path, operation } = entry;
  const body = first(operation.requestBody?.content);
  const [status, answer] = Object.entries(operation.responses)[0]!;
  const parameters = operation.parameters.map((each) =>
    row(
      each.name,
      { ...each.schema, ...(each.description && { description: each.description }) },
      each.required,
      schemas,
      each.in,
    ),
  );
  return `<article id="${anchor(entry)}"><h3><span class="${method}">${method.toUpperCase()}</span> <code>${text(path)}</code></h3>
<p><strong>${text(operation.summary)}.</strong> ${prose(operation.description ?? '')}</p>
${parameters.length ? table('Parameters', parameters) : ''}${body ? table('Body', fields(body, schemas)) : ''}
${table(`Response ${status}`, fields(first(answer.content) ?? {}, schemas))}</article>`;
}

const table = (title: string, rows: string[]) =>
  rows.length ? `<table><caption>${text(title)}</caption><tbody>${rows.join('')}</tbody></table>` : '';

function fields(schema: Schema, schemas: Record<string, Schema>, prefix = ''): string[] {
  const { properties, required = [] } = resolve(schema, schemas);
  return Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const own = row(prefix + name, property, required.includes(name), schemas);
    const inner = innerOf(resolve(property, schemas));
    if (!inner || prefix.split('.').length > 3) return [own];
    return [own, ...fields(inner.schema, schemas, `${prefix}${name}${inner.many ? '[]' : ''}.`)];
  });
}

/** Returns the inner object, alone, in a list or nullable. */
function innerOf(schema: Schema): { schema: Schema; many: boolean } | undefined {
  if (schema.items) return { schema: schema.items, many: true };
  const object = schema.anyOf?.find((each) => each.properties || each.$ref);
  if (object) return { schema: object, many: false };
  return schema.properties ? { schema, many: false } : undefined;
}

function row(name: string, property: Schema, required: boolean, schemas: Record<string, Schema>, place = ''): string {
  const schema = resolve(property, schemas);
  const notes = [
    place,
    required ? '' : 'optional',
    schema.default === undefined ? '' : `default <code>${text(JSON.stringify(schema.default))}</code>`,
    limits(schema),
  ].filter(Boolean);
  const description = property.description ?? schema.description ?? '';
  return `<tr><td><code>${text(name)}</code></td><td>${text(typeOf(schema, schemas))}</td><td>${prose(description)} <small>${notes.join(', ')}</small></td></tr>`;
}

const limits = ({ minLength, maxLength }: Schema): string =>
  maxLength ? `${minLength ?? 0} to ${maxLength} characters` : '';

function typeOf(schema: Schema, schemas: Record<string, Schema>): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(resolve(each, schemas), schemas)).join(' | ');
  if (schema.items) return `${typeOf(resolve(schema.items, schemas), schemas)}[]`;
  return schema.format ?? String(schema.type ?? 'any');
}

const resolve = (schema: Schema, schemas: Record<string, Schema>): Schema =>
  schema.$ref ? schemas[schema.$ref.split('/').at(-1)!]! : schema;
const first = (content: Record<string, { schema: Schema }> | undefined): Schema | undefined =>
  Object.values(content ?? {})[0]?.schema;
const text = (raw: string): string => raw.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const prose = (raw: string): string =>
  text(raw)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll('\n\n', '<br>');

const styles = `:root{color-scheme:light dark;--line:light-dark(#dfe3e8,#2d333b);--soft:light-dark(#f6f8fa,#161b22);--quiet:light-dark(#57606a,#8b949e)}
*{box-sizing:border-box}body{margin:0;display:grid;grid-template-columns:280px 1fr;font:15px/1.55 system-ui,sans-serif;background:light-dark(#fff,#0d1117);color:light-dark(#1f2328,#e6edf3)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:20px;border-right:1px solid var(--line);background:var(--soft);font-size:14px}nav h1{font-size:18px;margin:0}nav ul{list-style:none;padding-left:10px;margin:6px 0}nav>ul{padding:0}nav p{color:var(--quiet);margin:4px 0 14px}
nav li>a{font-weight:600;text-transform:capitalize}nav li li>a{font-weight:400;text-transform:none;color:inherit}main{padding:28px 40px;max-width:960px;min-width:0}h2{margin:44px 0 8px;text-transform:capitalize}article{border-top:1px solid var(--line);padding:14px 0}h3{font-size:16px;margin:8px 0}
h3 span{font:700 12px/1 ui-monospace,monospace;padding:4px 7px;border-radius:5px;color:#fff;background:#57606a}.get{background:#1a7f37!important}.post{background:#0969da!important}.patch,.put{background:#9a6700!important}.delete{background:#cf222e!important}
code,pre{font:13px/1.5 ui-monospace,monospace}pre{background:var(--soft);padding:12px;border-radius:8px;overflow:auto}table{width:100%;border-collapse:collapse;margin:10px 0;font-size:14px}caption{text-align:left;color:var(--quiet);font-size:12px;text-transform:uppercase;letter-spacing:.04em}
td{border-top:1px solid var(--line);padding:5px 10px 5px 0;vertical-align:top}td:first-child{width:32%;overflow-wrap:anywhere}td:nth-child(2){width:26%;color:var(--quiet);overflow-wrap:anywhere}small{color:var(--quiet)}a{color:light-dark(#0969da,#4493f8);text-decoration:none}.lead{font-size:17px}
@media(max-width:760px){body{display:block}nav{position:static;height:auto;border:0}main{padding:16px}}`;
