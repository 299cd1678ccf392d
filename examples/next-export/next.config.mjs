export default {
  images: { localPatterns: [{ pathname: '/assets/*' }] },
  // distDir: 'elsewhere',
  output: 'export',
};
