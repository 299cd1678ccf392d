import type { Instance } from './instance.ts';
import type { Output } from './output.ts';

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** The placeholder in the help: `<name>`. */
  value?: string;
  /** `--new` or `--new=<name>`: empty without a value. */
  optional?: boolean;
  /** For programs of Mooring itself: the help omits it. */
  hidden?: boolean;
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
  /** The value of `--url`. */
  url: string | undefined;
  /** The instance from `--url`, the environment or the stored login. */
  instance: () => Instance;
}

export interface Command<O extends Options = Options> {
  /** One to three words: `whoami`, `token list`, `backup policy add`. */
  name: string;
  summary: string;
  /** `<email>` is required, `[url]` is optional; `<service...>` takes one or more and comes last. */
  parameters?: string[];
  options?: O;
  /** A deprecated name: it works, but the help omits it. */
  hidden?: boolean;
  /** Extra text for the command's own help. */
  description?: string;
  run(call: Call<O>): Promise<void> | void;
}

/** Hides the types of a command's options, so that all commands share one type. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}

export const globalOptions = {
  url: { type: 'string', value: '<url>', help: 'address of the instance' },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'show help' },
  version: { type: 'boolean', help: 'show the version' },
} as const satisfies Options;
