import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Few chunks instead of dozens of crumbs: what changes only with a dependency, what all pages share, what some pages share,
// and what only signed-in pages need (Radix and what is built on it). Each page remains a chunk of its own, and so does
// what few people load: the command palette, reading .zip files, schedules, the message about a connection that is not encrypted.
const apart =
  'dialog|once-dialog|confirm-dialog|menu|menu-button|checkbox|grants-field|permission-field|' +
  'file-text-field|undo-notice|meter';
const ofSomePages =
  'ui/(table|copy-field|copy-text|copied|facts|load-more|outside-link|seconds|waiting|warnings-dialog)|' +
  'forms/(choice-field|exact-text|fold|number|role-field|select-field)|' +
  '(backup|destination|githost|registry|server|service|variable|volume)-queries|save-file|sizes';
const groups = [
  { name: 'vendor', test: /node_modules\/(react|react-dom|scheduler|@tanstack|openapi-fetch|seroval)\//, priority: 3 },
  {
    name: 'shared',
    test: new RegExp(`src/(?!(${ofSomePages})\\.)((ui|forms)/(?!(${apart})\\.)|[a-z-]+\\.ts$)`),
    priority: 2,
  },
  {
    name: 'overlay',
    test: /node_modules\/(?!cmdk|croner|fflate|@radix-ui\/react-(alert-dialog|checkbox))|src\/ui\/(dialog|menu)\./,
    priority: 1,
  },
  { name: 'parts', test: new RegExp(`src/(${ofSomePages})\\.`), priority: 0 },
];

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false }, output: { codeSplitting: { groups } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4600' } },
});
