module.exports = { outputDir: 'public_html' };
