// Pages of docs/reference that are generated from the code.

const cliIntro = `# Command line

<!-- Printed from cli/src/commands by \`npm run generate\`. -->

\`mooring\` is a client of the [API](api.md). Run it from the checkout with \`npx mooring\`, or put it on your path with
\`npm link --workspace cli\` (or \`alias mooring="$PWD/cli/bin/mooring.mjs"\`).

## Sign in

\`mooring login\` asks for the address of the instance, your e-mail address and your password, and stores a token.
In a pipeline, set \`MOORING_URL\` and \`MOORING_TOKEN\` instead; they override the stored login.

## Output

Results go to standard output, progress and errors to standard error: \`url=$(mooring deploy)\` contains the address and
nothing else. \`--json\` prints the answer of the API. \`NO_COLOR\` turns colours off. Questions are asked on a terminal only;
elsewhere the command fails and names the option that answers the question. A question of a deployment, for example
about data that a change leaves behind, waits for \`MOORING_PROMPT_TIMEOUT\` seconds and is then answered with no.

| exit code | meaning |
|---|---|
| 0 | Success. |
| 1 | The command failed: an error of the service, or a deployment that failed, was cancelled or was rejected. |
| 2 | Wrong usage: an unknown command or option, or a missing value. |
| 3 | Some services of a deployment failed; it waits for \`mooring keep\` or \`mooring reject\`. |
| 130 | Ctrl-C. A deployment that you were following continues. |

## Arguments

\`<project>\` is the name, slug or id of a project. \`<deployment or project>\` is the id of a deployment (\`dep_...\`), or a
project, which stands for its latest or its active deployment.
`;

/** @param {import('../cli/src/command.ts').Command[]} commands */
export function cliPage(commands, globalOptions) {
  const shown = commands.filter(({ hidden }) => !hidden);
  const groups = Map.groupBy(shown, ({ name }) => (name.includes(' ') ? name.split(' ')[0] : 'General'));
  const first = [
    'General',
    ...[...groups.keys()].filter((name) => name !== 'General').toSorted((a, b) => a.localeCompare(b)),
  ];
  const parts = first.map((group) => [`## ${group}`, ...groups.get(group).map(commandSection)].join('\n\n'));
  return `${[cliIntro, `## Options of every command\n\n${optionTable(globalOptions)}\n`, ...parts].join('\n')}\n`.replaceAll(
    /\n{3,}/g,
    '\n\n',
  );
}

function commandSection({ name, parameters = [], options = {}, summary, description }) {
  const usage = ['mooring', name, ...parameters].join(' ');
  return [
    `### mooring ${name}`,
    '',
    `${summary}.`,
    '',
    `\`\`\`text\n${usage}\n\`\`\``,
    ...(description ? ['', description.replaceAll(/^ {2,}(.*)$/gm, '    $1').replaceAll('<', '\\<')] : []),
    ...(Object.keys(options).length ? ['', optionTable(options)] : []),
    '',
  ].join('\n');
}

function optionTable(options) {
  const listed = Object.entries(options).filter(([, { hidden }]) => !hidden);
  const rows = listed.map(([name, { short, value, optional, help }]) => {
    const shown = value ? (optional ? `[=${value}]` : ` ${value}`) : '';
    return `| \`${short ? `-${short}, ` : ''}--${name}${shown}\` | ${cell(help)} |`;
  });
  return ['| option | meaning |', '|---|---|', ...rows].join('\n');
}

/** @param {string} openApi the document as JSON */
export function routesPage(openApi) {
  const { paths, tags } = JSON.parse(openApi);
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
  const groups = Map.groupBy(routes, (route) => route.tags[0]);
  const parts = [...groups].map(([tag, members]) => {
    const description = tags.find(({ name }) => name === tag)?.description ?? '';
    const rows = members.map(({ method, path, summary, 'x-permission': permission, 'x-mode': mode }) => {
      const only = mode ? ` (${mode} only)` : '';
      return `| \`${method} ${path}\` | ${cell(summary)}${only} | ${permission ? `\`${permission}\`` : ''} |`;
    });
    return [`## ${tag}`, '', description, '', '| route | | permission |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return `# API routes

<!-- Printed from the routes by \`npm run generate\`. -->

Every route of the API, with the permission that it needs. [API](api.md) explains authentication, errors and limits. A
running instance has the full reference with all fields at \`/api/docs\`, and the OpenAPI 3.1 document at
\`/api/openapi.json\`.

${parts.join('\n')}`;
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('\n', ' ');
