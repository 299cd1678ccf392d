const assignments = /^[ \t]{0,20}ALLOWED_HOSTS[ \t]{0,9}=[ \t]{0,9}(\[[^\]]{0,2000}\]|[^\n]{1,300})([^\n]{0,200})/gm;
const quoted = /'([^'"\n]{1,100})'|"([^'"\n]{1,100})"/g;

/**
 * Warns if Django answers requests for the project's domain with an error: its settings list hosts, and neither all nor
 * those of a variable.
 */
export function hostsWarning(settings: string): string | undefined {
  const code = settings.replaceAll(/^[ \t]*#.*$/gm, '');
  // What is added later may be the domain.
  if (/ALLOWED_HOSTS[ \t]{0,9}(?:\+=|\.)/.test(code)) return undefined;
  const all = [...code.matchAll(assignments)];
  const isListed = ([, list = '', rest = '']: RegExpExecArray) =>
    /^\[[\s,]*\]$/.test(list.replaceAll(quoted, '').replaceAll(/#[^\n]*/g, '')) && /^\s*(?:#.*)?$/.test(rest);
  const hosts = all.flatMap(([, list = '']) => [...list.matchAll(quoted)].map(([, one, two]) => one ?? two!));
  if (!all.length || !all.every(isListed) || hosts.includes('*')) return undefined;
  const shown = [...new Set(hosts)].filter((host) => /^[\w.:[\]-]+$/.test(host)).slice(0, 5);
  const which = shown.length
    ? `lists ${shown.join(', ')}, and requests for other hosts get`
    : 'lists no hosts, and with DEBUG = False all requests get';
  return (
    `ALLOWED_HOSTS in the settings of Django ${which} an error (400). ` +
    "Add the domains of the project, or ['*']: only requests for its domains reach the app."
  );
}
