/** What git over HTTP proves itself with. */
export type GitCredential = { url: string; username: string; password: string };

/** Gives git a credential for one host by its environment: it is in no argument, in no address and in no file. Git does not
 * follow the host elsewhere with it. To be added to `gitEnvironment`. */
export function credentialEnvironment({ url, username, password }: GitCredential): Record<string, string> {
  const { origin } = new URL(url);
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  const settings: [name: string, value: string][] = [
    [`http.${origin}/.extraHeader`, `Authorization: Basic ${proof}`],
    ['http.followRedirects', 'false'],
    // Nothing that was configured to remember passwords gets to see this one.
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
