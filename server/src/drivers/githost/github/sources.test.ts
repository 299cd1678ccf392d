import { sourceContract } from '../contract.ts';
import { gitHubRig, memoryVault, ownInstallations, standInGh } from './github-rig.ts';

sourceContract('app', async () => {
  const { host, gitHub, close } = await gitHubRig();
  return { host, source: gitHub.appSource({ installations: ownInstallations })!, close };
});

sourceContract('oauth', async () => {
  const { host, gitHub, connect, close } = await gitHubRig();
  return { host, source: gitHub.oauthSource(memoryVault(await connect()))!, close };
});

sourceContract('cli', async () => {
  const { file, folder } = standInGh('gho_octo_0123456789abcdef');
  const { host, gitHub, close } = await gitHubRig({ cli: { file, home: folder, path: '/usr/bin:/bin' } });
  return { host, source: gitHub.cliSource()!, close };
});
