import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
mkdirSync('dist', { recursive: true });
writeFileSync('dist/version.txt', `${version} built at ${new Date().toISOString()}\n`);
console.log(`dist/version.txt: ${version}`);
