import { afterAll, describe, expect, it } from 'vitest'
import { exportLines, type Imported, importLines } from '../../support/requests/export-and-import.ts'
import { type Body, payloads, read, say } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Builds facts and entities, each with an edge to a line of another portion, and some with one to a missing record. */
function population(name: string, count = 260): Body[] {
  const ids = Array.from({ length: count }, () => app.ids.next())
  return ids.map((id, at) => {
    const relations = [{ predicate: 'supports', target_id: ids[(at + 130) % count] }]
    if (at % 50 === 0) relations.push({ predicate: 'mentions', target_id: app.ids.next() })
    if (at % 3 > 0) return say(`${name} ${at}`, { id, relations })
    const identifiers = [{ namespace: name, value: `${at}` }]
    const payload = { ...payloads.entity, canonical_name: `${name} ${at}`, identifiers }
    return { id, type: 'entity', payload, relations }
  })
}

function countStatuses(imports: readonly Imported[]) {
  const byId = new Map<string, string[]>()
  for (const { reports } of imports)
    for (const { id, status } of reports) byId.set(id, [...(byId.get(id) ?? []), status].sort())
  return byId
}

async function edgesOf(id: string): Promise<string[]> {
  const { relations } = await read(app, id)
  return relations.map((edge: Body) => edge.target_id)
}

describe('concurrent equal imports', () => {
  it.each(['admin', 'records:write'] as const)(
    'create each line once and report the others as unchanged (%s)',
    async (permission) => {
      const key = await app.issueKey([permission, 'records:read'])
      const lines = population(permission)
      const imports = await Promise.all([1, 2, 3].map(() => importLines(app, lines, { key })))
      const statuses = countStatuses(imports)
      expect(statuses.size).toBe(lines.length)
      const expected = ['created', 'unchanged', 'unchanged']
      for (const [id, found] of statuses) expect(found, id).toEqual(expected)
      for (const line of [lines[0], lines[1], lines[199], lines[259]])
        expect(await edgesOf(line.id)).toEqual(expect.arrayContaining([line.relations[0].target_id]))
      const again = await importLines(app, lines, { key })
      expect(again.summary).toEqual({ created: 0, unchanged: lines.length, conflict: 0, invalid: 0 })
      expect(again.loose.count).toBe(6)
    },
  )

  it('in different orders neither deadlock nor conflict', async () => {
    const lines = population('orders')
    const orders = [
      lines,
      lines.toReversed(),
      lines.toSorted((a, b) => (a.id.slice(-4) < b.id.slice(-4) ? -1 : 1)),
    ]
    const key = await app.issueKey(['records:write', 'records:read'])
    const imports = await Promise.all(orders.map((order) => importLines(app, order, { key })))
    for (const [id, found] of countStatuses(imports))
      expect(found, id).toEqual(['created', 'unchanged', 'unchanged'])
    for (const line of lines.filter((_, at) => at % 20 === 0))
      expect(await edgesOf(line.id)).toEqual(expect.arrayContaining([line.relations[0].target_id]))
  })

  it('create each line once while dry runs happen', async () => {
    const lines = population('dry run')
    const [first, dry, second] = await Promise.all([
      importLines(app, lines),
      importLines(app, lines, { query: '?dry_run=true' }),
      importLines(app, lines),
    ])
    for (const [id, found] of countStatuses([first, second]))
      expect(found, id).toEqual(['created', 'unchanged'])
    expect(dry.summary.conflict + dry.summary.invalid).toBe(0)
  })

  it('of complete records store each log once', async () => {
    const lines = population('whole', 60).map((line) => ({ ...line, scope: 'whole' }))
    await importLines(app, lines)
    const { records: exported } = await exportLines(app, '?scope=whole')
    expect(exported).toHaveLength(60)
    const target = await startTestApp()
    try {
      target.clock.advance(app.clock.now().getTime() - target.clock.now().getTime() + 1_000)
      const imports = await Promise.all([1, 2, 3].map(() => importLines(target, exported)))
      for (const [id, found] of countStatuses(imports))
        expect(found, id).toEqual(['created', 'unchanged', 'unchanged'])
      for (const { id, audit_log: log } of exported)
        expect((await read(target, id)).audit_log).toHaveLength(log.length)
    } finally {
      await target.close()
    }
  })

  it('with a different line report a conflict there', async () => {
    const id = app.ids.next()
    const imports = await Promise.all(
      ['one', 'two', 'three', 'four'].map((object) => importLines(app, [say(object, { id })])),
    )
    expect(imports.map(({ reports: [report] }) => report.status).sort()).toEqual([
      'conflict',
      'conflict',
      'conflict',
      'created',
    ])
  })
})

describe('an import of an existing line', () => {
  it('refuses an edge that the record does not have, and adds none', async () => {
    const key = await app.issueKey(['records:write', 'records:read'])
    const target = app.ids.next()
    const id = app.ids.next()
    const line = say('forged', { id })
    await importLines(app, [line, say('target', { id: target })], { key })
    const relations = [{ predicate: 'supports', target_id: target }]
    const forged = await importLines(app, [{ ...line, relations }], { key })
    expect(forged.reports[0].status).toBe('conflict')
    const late = app.ids.next()
    const loose = { ...line, relations: [{ predicate: 'supports', target_id: late }] }
    const tried = await importLines(app, [loose], { key })
    expect(tried.summary).toMatchObject({ unchanged: 1 })
    expect(tried.loose).toMatchObject({ count: 1 })
    await importLines(app, [say('late', { id: late })], { key })
    expect(await edgesOf(id)).toEqual([])
  })
})
