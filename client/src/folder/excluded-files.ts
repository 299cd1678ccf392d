/** An installed environment works only in the folder where it was created. */
export const neverUploaded: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv']);

/** Files with rules for excluding more. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.mooringignore'];

/** Files with variables stay on the user's machine. Those without values document which variables an app needs. */
export const isEnvFile = (name: string): boolean =>
  /^\.env($|\.)/.test(name) && !/\.(example|sample|template|dist)$/.test(name);
