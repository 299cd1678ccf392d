import type { Provider } from '../detect.ts';
import { plainName } from '../plain-names.ts';

export const cobol: Provider = {
  name: 'cobol',
  looksFor: '.cbl',
  async detect(tree) {
    for (const folder of ['', 'src']) {
      const files = (await tree.list(folder)).filter((name) => /\.(cbl|cob)$/.test(name) && plainName(name));
      const file = ['index.cbl', 'main.cbl'].find((name) => files.includes(name)) ?? files[0];
      if (!file) continue;
      const name = file.replace(/\.\w+$/, '');
      const build = `mkdir -p bin && cobc -x -o bin/${name} ${folder ? `${folder}/` : ''}${file}`;
      return {
        framework: 'cobol',
        language: 'cobol',
        buildCommand: build,
        startCommand: `./bin/${name}`,
        port: 8080,
        reasons: [`${file}: COBOL, built with \`${build}\`, started with \`./bin/${name}\``],
      };
    }
    return undefined;
  },
};
