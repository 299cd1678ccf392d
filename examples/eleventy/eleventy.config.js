export default () => ({ dir: { input: 'pages', output: 'site' } });
