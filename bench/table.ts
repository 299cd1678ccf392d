/** One line of a result: the measurement, the comparison and the target. */
export type BenchmarkRow = { what: string; measured: string; against?: string; ratio?: string; aim?: string };

export function printTable(title: string, rows: BenchmarkRow[]): void {
  const columns = ['what', 'measured', 'against', 'ratio', 'aim'] as const;
  const cells = [[...columns], ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]!.length)));
  const lines = cells.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  console.log(`\n${title}\n${lines.join('\n')}`);
}
