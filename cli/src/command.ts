import type { Instance } from './instance.ts';
import type { Output } from './output.ts';

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** What stands for the value in the help: `<name>`. */
  value?: string;
  /** `--new` and `--new=<name>`: without a value it is empty. */
  optional?: boolean;
  help: string;
}

export type Options = Record<string, Option>;

type ValueOf<O extends Option> = O extends { type: 'boolean' }
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string;

export type Values<O extends Options> = { [K in keyof O]?: ValueOf<O[K]> };

/** One call of a command. */
export interface Call<O extends Options> {
  args: string[];
  values: Values<O>;
  out: Output;
  /** As given by `--url`. */
  url: string | undefined;
  /** The instance that `--url`, the environment or the stored login names. */
  instance: () => Instance;
}

export interface Command<O extends Options = Options> {
  /** One word or two: `whoami`, `token list`. */
  name: string;
  summary: string;
  /** `<email>` has to be given, `[url]` need not; `<service...>` is one or more, and the last. */
  parameters?: string[];
  options?: O;
  /** An older spelling: it works, and the help does not list it. */
  hidden?: boolean;
  /** More for the command's own help. */
  description?: string;
  run(call: Call<O>): Promise<void> | void;
}

/** Keeps the types of a command's options inside; outside all commands are alike. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}

export const globalOptions = {
  url: { type: 'string', value: '<url>', help: 'address of the instance' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'show help' },
  version: { type: 'boolean', help: 'show the version' },
} as const satisfies Options;
