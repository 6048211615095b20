import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Result, renderCells, tableHeadings } from './result.ts'

export type Report = { machine: string; postgres: string; results: Result[] }

const folder = resolve(import.meta.dirname, 'results')
const page = resolve(import.meta.dirname, '../docs/performance.md')

const introduction = `# Performance

\`npm run bench\` writes this page from \`bench/results\`. Each benchmark has its own database on a real PostgreSQL and
verifies that the measured work was done. Machines are noisy, so most figures have a limit that was measured in the same
run; the ratio is figure ÷ limit. *Must reach* is our target, and MISSED says that the last run did not reach it. Each section
names the machine and the server of its last run.

\`\`\`
npm run bench                  # everything, about 45 minutes
npm run bench -- retrieval     # benchmarks whose names start with it
BENCH_DATABASE_URL=postgres://… npm run bench -- decay   # on your own server instead of the embedded one
\`\`\`

These variables set the number of records: \`BENCH_RETRIEVAL_RECORDS\`, \`BENCH_EMBEDDINGS_RECORDS\`,
\`BENCH_IMPORTANCE_RECORDS\`, \`BENCH_PORTABILITY_RECORDS\`, \`BENCH_PLAN_CHANGES\` (sizes separated by commas); the other
benchmarks have the sizes in the table. \`size\` stores 100,000 messages through the API and copies their rows:
\`BENCH_SIZE_COPIES=10,100\` makes stores of one and ten million, the larger of 56 GB in half an hour.`

/** Writes docs/performance.md from the last results of each benchmark, on the machine of that run. */
export async function writeReport(): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  const sections = await Promise.all(files.map(describe))
  await writeFile(page, `${[introduction, ...sections].join('\n\n')}\n`)
}

async function describe(file: string): Promise<string> {
  const report = JSON.parse(await readFile(join(folder, file), 'utf8')) as Report
  const rows = report.results.map((result) => `| ${renderCells(result).join(' | ')} |`)
  const head = [`| ${tableHeadings.join(' | ')} |`, `|${tableHeadings.map(() => '---').join('|')}|`]
  return [
    `## ${file.replace('.json', '')}`,
    '',
    `${report.machine}, PostgreSQL ${report.postgres}`,
    '',
    ...head,
    ...rows,
    '',
    ...report.results.flatMap(describeDetails),
  ]
    .join('\n')
    .trimEnd()
}

/** Further figures of a result, and how it was verified. */
function describeDetails({ work, verified, details = {} }: Result): string[] {
  const items = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? round(value) : value}`,
  )
  return [`- ${work}: ${[...items, verified].join('; ')}.`]
}

function round(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(3)
}
