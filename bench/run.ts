import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { resolve } from 'node:path'
import { createGround } from './ground.ts'
import { benchRecords } from './records/index.ts'
import { renderTable } from './result.ts'
import { startServer } from './server.ts'

const benchmarks = { records: benchRecords }

/** `npm run bench -- records`, or without a name everything. */
async function run(names: readonly string[]): Promise<void> {
  const chosen = Object.entries(benchmarks).filter(([name]) => names.length === 0 || names.includes(name))
  if (chosen.length === 0) throw new Error(`there are: ${Object.keys(benchmarks).join(', ')}`)
  const server = await startServer()
  // Interrupted, it would leave a database server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(130)))
  }
  try {
    for (const [name, bench] of chosen) {
      const results = await bench(createGround(server.url))
      await keep(name, { machine: describeMachine(), postgres: server.version, results })
      console.log(`\n${name}\n\n${renderTable(results)}\n`)
    }
  } finally {
    await server.stop()
  }
}

function describeMachine(): string {
  return `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, node ${process.version}`
}

async function keep(name: string, report: object): Promise<void> {
  const folder = resolve(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  await writeFile(resolve(folder, `${name}.json`), `${JSON.stringify(report, undefined, 2)}\n`)
}

await run(process.argv.slice(2))
