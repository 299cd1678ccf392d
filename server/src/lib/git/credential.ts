/** Credentials for git over HTTP. */
export type GitCredential = { url: string; username: string; password: string };

/** Returns variables that give git credentials for one host: they appear in no argument, URL or file, and redirects
 * are not followed. To be added to `gitEnvironment`. */
export function credentialEnvironment({ url, username, password }: GitCredential): Record<string, string> {
  const { origin } = new URL(url);
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  const settings: [name: string, value: string][] = [
    [`http.${origin}/.extraHeader`, `Authorization: Basic ${proof}`],
    ['http.followRedirects', 'false'],
    // Keeps credential helpers from storing this password.
    ['credential.helper', ''],
  ];
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, name],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}
