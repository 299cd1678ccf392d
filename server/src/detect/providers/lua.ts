import type { Provider } from '../detect.ts';

/** Rocks are installed into the app's folder. */
const folder = 'lua_modules';
const shared = `${folder}/share/lua/5.4`;
const paths = `LUA_PATH='${shared}/?.lua;${shared}/?/init.lua;;' LUA_CPATH='${folder}/lib/lua/5.4/?.so;;'`;

export const lua: Provider = {
  name: 'lua',
  looksFor: 'main.lua',
  async detect(tree) {
    const names = await tree.list('');
    const file = ['main.lua', 'app.lua', 'server.lua', 'init.lua'].find((name) => names.includes(name));
    if (!file) return undefined;
    const rockspec = names.find((name) => /^\w[\w.-]*\.rockspec$/.test(name));
    const start = rockspec ? `${paths} lua ${file}` : `lua ${file}`;
    return {
      framework: 'lua',
      language: 'lua',
      packageManager: rockspec ? 'luarocks' : null,
      installCommand: rockspec ? `luarocks install --lua-version 5.4 --tree ${folder} --deps-only ${rockspec}` : null,
      startCommand: start,
      port: 8080,
      reasons: [`${file}: Lua, started with \`${start}\``],
    };
  },
};
