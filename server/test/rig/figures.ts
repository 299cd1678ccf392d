/** Prints the measurements of a long test. */
export const sayFigures = (what: string, figures: object): void =>
  void process.stdout.write(`   ${what}: ${JSON.stringify(figures)}\n`);
