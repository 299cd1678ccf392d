import { plainName } from '../plain-names.ts';
import { hostVariable, portVariable, type PythonStart } from './command.ts';
import type { PythonProject } from './project.ts';

/** Frameworks that run a file themselves. */
const runners = [
  {
    package: 'streamlit',
    name: 'Streamlit',
    usual: 8501,
    files: ['streamlit_app.py', 'app.py', 'main.py', 'Home.py', 'Hello.py'],
    run: (file: string) =>
      `streamlit run ${file} --server.address ${hostVariable} --server.port ${portVariable(8501)} --server.headless true`,
  },
  {
    package: 'chainlit',
    name: 'Chainlit',
    usual: 8000,
    files: ['app.py', 'main.py'],
    run: (file: string) => `chainlit run ${file} --host ${hostVariable} --port ${portVariable(8000)} --headless`,
  },
  {
    package: 'gradio',
    name: 'Gradio',
    usual: 7860,
    files: ['app.py', 'main.py', 'demo.py'],
    run: (file: string) => `GRADIO_SERVER_NAME=${hostVariable} GRADIO_SERVER_PORT=${portVariable(7860)} python ${file}`,
  },
  {
    package: 'panel',
    name: 'Panel',
    usual: 5006,
    files: ['app.py', 'main.py'],
    run: (file: string) =>
      `panel serve ${file} --address ${hostVariable} --port ${portVariable(5006)} --allow-websocket-origin='*'`,
  },
];

const functionIn = [
  /^@functions_framework\.(?:http|cloud_event|typed)\b.{0,200}\r?\n(?:async )?def (\w{1,80})\(/m,
  /^def (\w{1,80})\((?:request|cloud_event|event)\b/m,
];

/** Starts a function that is made for Google Cloud. */
export async function cloudFunction({ tree, dependencies }: PythonProject): Promise<PythonStart | undefined> {
  if (!dependencies.has('functions-framework')) return undefined;
  const source = (await tree.read('main.py')) ?? '';
  const target = functionIn.map((rule) => rule.exec(source)?.[1]).find(Boolean);
  if (!target) return undefined;
  return {
    framework: 'functions-framework',
    name: 'Functions Framework',
    sign: 'main.py',
    command: `functions-framework --target ${target} --host ${hostVariable} --port ${portVariable(8080)}`,
    port: 8080,
  };
}

/** Finds a file that imports one of them. */
export async function ownRunner({ tree, names, dependencies }: PythonProject): Promise<PythonStart | undefined> {
  for (const { package: id, name, usual, files, run } of runners.filter((each) => dependencies.has(each.package))) {
    const present = [...files, ...[...names].filter((each) => each.endsWith('.py') && plainName(each))].filter((file) =>
      names.has(file),
    );
    for (const file of present.slice(0, 12))
      if (new RegExp(`^[ \\t]*(?:import|from) ${id}\\b`, 'm').test((await tree.read(file)) ?? ''))
        return { framework: id, name, sign: file, command: run(file), port: usual };
  }
  return undefined;
}
