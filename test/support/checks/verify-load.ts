import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ProcessSupervisor } from '../processes/process-supervisor.ts'
import { describeLedger, type Ledger } from '../requests/client-load.ts'
import { administer } from '../servers/postgres-processes.ts'

type Stored = { id: string; marker: string; version: number; is_forgotten: boolean; changes: number }

/** Expects every acknowledged record exactly once in its acknowledged state, and no others. */
async function expectLedger(url: string, { facts, episodes }: Ledger): Promise<void> {
  const [stored, captured] = await administer(
    url,
    `select r.id, c.payload ->> 'object' as marker, r.version, r.forgotten_at is not null as is_forgotten,
        (select count(*)::int4 from audit_entries as a where a.record_id = r.id) - 1 as changes
      from records as r join contents as c on c.record_id = r.id
      where c.payload ->> 'subject' = 'load' order by r.id`,
    `select t ->> 'summary' as summary from contents as c, jsonb_array_elements(c.payload -> 'timeline') as t
      where c.payload ->> 'kind' = 'episodic'`,
  )
  const expected = [...facts].map(([id, { marker, changes, isForgotten }]): Stored => {
    return { id, marker, version: 1 + changes, is_forgotten: isForgotten, changes }
  })
  expect(stored?.rows).toEqual(expected.sort((one, other) => (one.id < other.id ? -1 : 1)))
  const summaries = captured?.rows.map(({ summary }) => summary) as string[]
  expect(summaries.sort()).toEqual([...episodes].sort())
}

/** Expects the role `check` to find every law satisfied. */
async function expectLaws(processes: ProcessSupervisor): Promise<number> {
  const check = processes.run('check')
  const { code } = await check.ended
  expect(code, check.output()).toBe(0)
  return check.output().match(/^ok /gm)?.length ?? 0
}

/** Expects no unexpected failure in any log. */
function expectNoDefects(processes: ProcessSupervisor): void {
  const defects = processes
    .output()
    .split('\n')
    .filter((line) => line.includes('unexpected failure') || line.includes('a defect ends the process'))
  expect(defects.slice(0, 3)).toEqual([])
}

/** Requests a run of the job and waits until it succeeds. */
export async function expectRun(
  processes: ProcessSupervisor,
  job: string,
  milliseconds = 90_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds
  const [url = ''] = processes.urls
  const accepted = await fetch(`${url}/v1/maintenance/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ job }),
  })
  const { id } = (await accepted.json()) as { id: string }
  let status = ''
  while (performance.now() < deadline && status !== 'succeeded') {
    await sleep(200)
    status = await fetch(`${url}/v1/maintenance/runs/${id}`)
      .then((answer) => answer.json() as Promise<{ status: string }>)
      .then((run) => run.status)
  }
  expect(status, `the run of ${job}`).toBe('succeeded')
}

/** Runs the jobs, then checks the ledger, the laws of the store and the logs; prints one line with the counts. */
export async function verifyLoad(
  name: string,
  url: string,
  processes: ProcessSupervisor,
  ledger: Ledger,
): Promise<void> {
  await processes.ready()
  for (const job of ['decay', 'consolidate', 'embed']) await expectRun(processes, job)
  await expectLedger(url, ledger)
  const laws = await expectLaws(processes)
  expectNoDefects(processes)
  process.stdout.write(`  ${name}: ${describeLedger(ledger)}; ${laws} laws held\n`)
}
