/** Never uploaded. */
export const neverUploaded: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Files with rules for what else is left out. */
export const ignoreFiles: readonly string[] = ['.gitignore', '.mooringignore'];

/** Files with variables stay on the user's machine. Those without values tell which variables an app needs. */
export const isEnvFile = (name: string): boolean =>
  /^\.env($|\.)/.test(name) && !/\.(example|sample|template|dist)$/.test(name);
