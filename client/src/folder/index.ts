// Shared by the command line and the dashboard for uploading a folder.
export { IgnoreRules, parseIgnoreFile } from './ignore.ts';
export { ignoreFiles, isEnvFile, neverUploaded } from './excluded-files.ts';
export { tarEnd, type TarEntry, tarHeader, tarPadding } from './tar.ts';
