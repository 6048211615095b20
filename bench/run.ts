import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { dirname, resolve } from 'node:path'
import { readArguments, refuse } from '../scripts/script-arguments.ts'
import { type BenchContext, createBenchContext } from './bench-context.ts'
import { captureBenchmarks } from './capture/index.ts'
import { benchConsolidation } from './consolidation/index.ts'
import { benchConversations } from './conversations/index.ts'
import { benchDecay } from './decay/index.ts'
import { benchDream } from './dream/index.ts'
import { benchEmbeddings } from './embeddings/index.ts'
import { benchImportance } from './importance/index.ts'
import { benchJobs } from './jobs/index.ts'
import { benchPlans } from './plans/index.ts'
import { benchForeignImport, benchPortability } from './portability/index.ts'
import { recordBenchmarks } from './records/index.ts'
import { type Report, writeReport } from './report.ts'
import { type Result, renderTable } from './result.ts'
import { benchRetrieval } from './retrieval/index.ts'
import { benchNaturalRetrieval } from './retrieval/natural.ts'
import { startServer } from './server.ts'
import { benchSimulation } from './simulation/index.ts'
import { benchSize } from './size/index.ts'
import { benchSurprise } from './surprise/index.ts'
import { survivingBenchmarks } from './surviving/index.ts'
import { benchFairness } from './tenants/fairness.ts'
import { benchTenants } from './tenants/index.ts'

const benchmarks: Record<string, (context: BenchContext) => Promise<Result[]>> = {
  ...recordBenchmarks,
  ...captureBenchmarks,
  consolidation: benchConsolidation,
  conversations: benchConversations,
  decay: benchDecay,
  dream: benchDream,
  embeddings: benchEmbeddings,
  importance: benchImportance,
  jobs: benchJobs,
  plans: benchPlans,
  portability: benchPortability,
  'portability-foreign': benchForeignImport,
  retrieval: benchRetrieval,
  'retrieval-natural': benchNaturalRetrieval,
  simulation: benchSimulation,
  size: benchSize,
  surprise: benchSurprise,
  tenants: benchTenants,
  'tenants-fairness': benchFairness,
  ...survivingBenchmarks,
}

const names = Object.keys(benchmarks)

const usage = `Usage: npm run bench -- [NAME...]

Runs the benchmarks whose names start with a NAME, without a NAME all, writes bench/results and docs/performance.md.
BENCH_DATABASE_URL names a database server; without it an embedded one is started.

  ${names.join('\n  ')}`

async function run(prefixes: readonly string[]): Promise<void> {
  const unknown = prefixes.find((prefix) => !names.some((name) => name.startsWith(prefix)))
  if (unknown !== undefined) refuse(`No benchmark has a name that starts with '${unknown}'`)
  const chosen = Object.entries(benchmarks).filter(
    ([name]) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix)),
  )
  const server = await startServer()
  // An interrupted run would leave a database server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(130)))
  }
  const context = createBenchContext(server.url)
  const all: Result[] = []
  try {
    for (const [name, measure] of chosen) {
      context.note(name)
      const results = await measure(context)
      await keep(name, { machine: describeMachine(), postgres: server.version, results })
      all.push(...results)
    }
  } finally {
    await server.stop()
    await writeReport()
    console.log(`\n${renderTable(all)}\n`)
  }
}

function describeMachine(): string {
  return `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
}

async function keep(name: string, report: Report): Promise<void> {
  const file = resolve(import.meta.dirname, 'results', `${name.replaceAll('/', '-')}.json`)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`)
}

await run(readArguments(usage, { allowPositionals: true }).positionals)
