/** Says what a long proof measured, beside what it asserts. */
export const sayFigures = (what: string, figures: object): void =>
  void process.stdout.write(`   ${what}: ${JSON.stringify(figures)}\n`);
