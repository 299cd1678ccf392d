import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { type Command, defineCommand, type Options, type Values } from '../command.ts';
import { findProject, type Project } from '../deployments/find.ts';
import { Failure } from '../errors.ts';
import { type Instance, signedInClient } from '../instance.ts';
import { type Output, plainText } from '../output.ts';

export type Adoption = Schemas['Adoption'];

/** An adopted project, with the context of a command. */
export interface AdoptedProjectContext<O extends Options> {
  here: Instance;
  client: Client;
  project: Project;
  adoption: Adoption;
  values: Values<O>;
  out: Output;
}

type About<O extends Options> = {
  verb: string;
  summary: string;
  description?: string;
  options?: O;
  run: (on: AdoptedProjectContext<O>) => Promise<void>;
};

/** Defines a command on an adopted project: `mooring migrate <verb> <project>`. */
export const adoptedProjectCommand = <const O extends Options>({ verb, run, ...about }: About<O>): Command =>
  defineCommand<O>({
    name: `migrate ${verb}`,
    parameters: ['<project>'],
    ...about,
    async run({ args: [named = ''], values, out, instance }) {
      const here = instance();
      const client = signedInClient(here);
      const project = await findProject(client, named);
      await run({ here, client, project, adoption: await adoptionOf(client, project), values, out });
    },
  });

async function adoptionOf(client: Client, { id, name }: Project): Promise<Adoption> {
  try {
    return (await unwrap(client.GET('/api/migration/{projectId}', { params: { path: { projectId: id } } }))).data;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new Failure(
      `${plainText(name)} was not adopted from a server; see: mooring migrate scan <server>, then mooring migrate adopt`,
    );
  }
}

/** Prints the result and its warnings. */
export function printWithWarnings(out: Output, data: { warnings: string[] }, sentence: string): void {
  out.print(data, () => plainText(sentence));
  for (const warning of data.warnings) out.note(plainText(`Warning: ${warning}`));
}

/** Suggests the next command. */
export const suggestCommand = (out: Output, what: string, command: string): void =>
  out.note(plainText(`${what}: mooring migrate ${command}`));

/** Names the options of the command instead of the fields of the request. */
export function nameOptionInError(error: unknown): never {
  if (error instanceof ApiError && ['not_trusted', 'conflict'].includes(error.code))
    throw new Failure(error.message.replace(/with (\w+): true/, 'with --$1'));
  throw error;
}
