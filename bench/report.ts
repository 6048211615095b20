import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { mainFigures, questions } from './report-texts.ts'
import { type Result, renderCells, renderQuantity, tableHeadings } from './result.ts'

export type Report = { machine: string; postgres: string; results: Result[] }

const folder = resolve(import.meta.dirname, 'results')
const page = resolve(import.meta.dirname, '../docs/performance.md')

const introduction = `# Performance

\`npm run bench\` writes this page from \`bench/results\`. Each benchmark has its own PostgreSQL database, and verifies that the measured
work was done.`

const howToRead = `## How to read the tables

- **For comparison.** The speed of a machine varies, so most figures have a second one from the same run, such as plain SQL that
  writes the same rows. The ratio is the measured figure ÷ this one. A factor in the target, such as ≥ 0.6×, is for the ratio.
- **MISSED** says that the last run did not reach our target.
- A p95 is the time within which 95 of 100 requests end, and a p50 the median.

\`\`\`
npm run bench                  # everything, about 45 minutes
npm run bench -- retrieval     # only the benchmarks whose names start with this
BENCH_DATABASE_URL=postgres://… npm run bench -- decay   # on your own server, not on the embedded one
\`\`\`

These variables set the number of records: \`BENCH_RETRIEVAL_RECORDS\`, \`BENCH_EMBEDDINGS_RECORDS\`,
\`BENCH_IMPORTANCE_RECORDS\`, \`BENCH_PORTABILITY_RECORDS\`, \`BENCH_PLAN_CHANGES\` (several, separated by commas).
\`size\` stores 100,000 messages through the API and copies their rows: \`BENCH_SIZE_COPIES=10,100\` makes stores of one and of ten million
messages. The larger takes half an hour and 56 GB.`

type Section = { name: string; report: Report }

/** Writes docs/performance.md from the last results of each benchmark, on the machine of that run. */
export async function writeReport(): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  const sections = await Promise.all(files.map(readSection))
  const parts = [
    introduction,
    describeMainFigures(sections),
    describeMissed(sections),
    howToRead,
    ...sections.map(describe),
  ]
  await writeFile(page, `${parts.join('\n\n')}\n`)
}

async function readSection(file: string): Promise<Section> {
  const report = JSON.parse(await readFile(join(folder, file), 'utf8')) as Report
  return { name: file.replace('.json', ''), report }
}

function describeMainFigures(sections: readonly Section[]): string {
  const rows = mainFigures.flatMap(([what, benchmark, work]) => {
    const found = sections.find(({ name }) => name === benchmark)?.report.results
    const result = found?.find((each) => each.work === work)
    return result ? [`| ${what} | ${renderQuantity(result.measured)} | ${link(benchmark)} |`] : []
  })
  return [
    '## Main figures',
    '',
    'Each figure is from the last run of its benchmark; the section names the machine.',
    '',
    tableHead(['what', 'measured', 'section']),
    ...rows,
  ].join('\n')
}

function describeMissed(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ name, report }) =>
    report.results
      .filter(({ mustReach }) => mustReach && !mustReach.reached)
      .map(
        ({ work, measured, mustReach }) =>
          `| ${work} | ${renderQuantity(measured)} | ${mustReach?.text} | ${link(name)} |`,
      ),
  )
  const head = tableHead(['what', 'measured', 'target', 'section'])
  return ['## Missed targets', '', ...(rows.length === 0 ? ['None.'] : [head, ...rows])].join('\n')
}

function link(name: string): string {
  return `[${name}](#${name})`
}

function tableHead(headings: readonly string[]): string {
  return `| ${headings.join(' | ')} |\n|${headings.map(() => '---').join('|')}|`
}

function describe({ name, report: { machine, postgres, results } }: Section): string {
  const question = questions[name]
  return [
    `## ${name}`,
    '',
    ...(question ? [question, ''] : []),
    `Measured on ${machine}, PostgreSQL ${postgres}.`,
    '',
    tableHead(tableHeadings),
    ...results.map((result) => `| ${renderCells(result).join(' | ')} |`),
    '',
    '<details><summary>Further figures, and how the work was verified</summary>',
    '',
    ...results.flatMap(describeFigures),
    ...[...new Set(results.map(({ verified }) => verified))].map((verified) =>
      describeVerification(verified, results),
    ),
    '',
    '</details>',
  ].join('\n')
}

function describeFigures({ work, details = {} }: Result): string[] {
  const items = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? round(value) : value}`,
  )
  return items.length === 0 ? [] : [`- ${work}: ${items.join('; ')}.`]
}

/** Names the work only if the results of the benchmark were verified in different ways. */
function describeVerification(verified: string, results: readonly Result[]): string {
  const works = results.filter((result) => result.verified === verified).map(({ work }) => work)
  return works.length === results.length
    ? `- Verified: ${verified}.`
    : `- Verified for ${works.join('; for ')}: ${verified}.`
}

function round(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(3)
}
