import type { Provider } from '../detect.ts';

export const lua: Provider = {
  name: 'lua',
  looksFor: 'main.lua',
  async detect(tree) {
    const names = await tree.list('');
    const file = ['main.lua', 'app.lua', 'server.lua', 'init.lua'].find((name) => names.includes(name));
    if (!file) return undefined;
    const rockspec = names.find((name) => /^\w[\w.-]*\.rockspec$/.test(name));
    const start = `lua ${file}`;
    return {
      framework: 'lua',
      language: 'lua',
      packageManager: rockspec ? 'luarocks' : null,
      installCommand: rockspec ? `luarocks install --deps-only ${rockspec}` : null,
      startCommand: start,
      port: 8080,
      reasons: [`${file}: Lua, started with \`${start}\``],
    };
  },
};
