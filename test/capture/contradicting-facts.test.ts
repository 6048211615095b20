import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { createTopic, range, triple } from '../support/requests/capture-requests.ts'
import { create, read } from '../support/requests/record-requests.ts'
import { revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const topic = (scope: string) => createTopic(app, scope)

describe('POST /v1/capture with a contradicting fact', () => {
  it('supersedes the old fact when its policy is replace', async () => {
    const { add, readActive } = topic('replace')
    const old = await add('linux', { revision_policy: 'replace' })
    const { fact, created_records: records } = await add('windows', { revision_policy: 'contest' })
    const record_id = records[1].id
    expect(fact).toEqual({ outcome: 'replaced', policy: 'replace', record_id, other_id: old.fact.record_id })
    expect(await read(app, old.fact.record_id)).toMatchObject({
      status: 'superseded',
      salience: 0,
      version: 2,
      payload: { revision: { status: 'retracted', superseded_by: record_id } },
    })
    expect(await read(app, record_id)).toMatchObject({
      status: 'active',
      sensitivity: 'low',
      scope: 'replace',
      payload: { revision: { supersedes: old.fact.record_id }, revision_policy: 'contest' },
    })
    expect(await readActive()).toEqual(['windows'])
  })

  it('keeps both facts active when the policy of the old one is fork', async () => {
    const { add, readActive } = topic('fork')
    const old = await add('linux', { revision_policy: 'fork' })
    const { fact, created_records: records } = await add('windows')
    const record_id = records[1].id
    expect(fact).toEqual({ outcome: 'forked', policy: 'fork', record_id, other_id: old.fact.record_id })
    expect(await readActive()).toEqual(['linux', 'windows'])
    expect((await read(app, record_id)).relations).toContainEqual(
      expect.objectContaining({ predicate: 'derived_from', target_id: old.fact.record_id }),
    )
  })

  it.each([
    ['contest', 'contested', 'active'],
    ['replace', 'replaced', 'superseded'],
  ])('leaves no twin of the old fact undisputed when its policy is %s', async (policy, outcome, status) => {
    const scope = `twins of ${policy}`
    const twin = await create(app, {
      type: 'semantic',
      scope,
      payload: { kind: 'semantic', ...triple('Linux') },
    })
    app.clock.advance(1_000)
    const old = await create(app, {
      type: 'semantic',
      scope,
      payload: { kind: 'semantic', ...triple('linux'), revision_policy: policy },
    })
    app.clock.advance(1_000)
    const { fact } = await topic(scope).add('windows')
    expect(fact).toMatchObject({ outcome, other_id: old.id })
    expect(await read(app, old.id)).toMatchObject({ status })
    const disputed = await read(app, twin.id)
    expect(disputed).toMatchObject({ status: 'active', payload: { revision: { status: 'contested' } } })
    expect(disputed.relations).toContainEqual(
      expect.objectContaining({ predicate: 'contested_by', target_id: fact.record_id }),
    )
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('contests the old fact when its policy is contest or missing, and the newest stays active', async () => {
    const { add, readActive } = topic('contest')
    const old = await add('linux')
    const { fact } = await add('windows', { revision_policy: 'contest' })
    expect(fact).toMatchObject({ outcome: 'contested', policy: 'contest', other_id: old.fact.record_id })
    expect(await read(app, old.fact.record_id)).toMatchObject({
      status: 'active',
      version: 2,
      payload: { revision: { status: 'contested' } },
      relations: expect.arrayContaining([
        expect.objectContaining({ predicate: 'contested_by', target_id: fact.record_id }),
      ]),
    })
    const third = await add('plan9')
    expect(third.fact).toMatchObject({ outcome: 'contested', other_id: fact.record_id })
    expect(await readActive()).toEqual(['linux', 'plan9', 'windows'])
    await revise(app, 'retract', third.fact.record_id)
    expect((await add('hurd')).fact.outcome).toBe('contested')
    // A contested fact can still be confirmed, and stays contested.
    expect((await add('linux')).fact).toEqual({ outcome: 'confirmed', record_id: old.fact.record_id })
    expect((await read(app, old.fact.record_id)).payload.revision.status).toBe('contested')
  })

  it('leaves both facts alone when their validity does not overlap or their conditions differ', async () => {
    const { add } = topic('windows')
    const during = (start: string | undefined, end: string | undefined) => ({
      validity: { mode: 'timeboxed', ...(start ? { start } : {}), ...(end ? { end } : {}) },
    })
    const jan = '2026-01-01T00:00:00Z'
    const feb = '2026-02-01T00:00:00Z'
    const mar = '2026-03-01T00:00:00Z'
    const outcomes: string[] = []
    const say = async (object: string, more: object) => outcomes.push((await add(object, more)).fact.outcome)
    await say('linux', during(jan, feb))
    await say('windows', during(feb, mar))
    await say('hurd', during(undefined, jan))
    await say('plan9', during(mar, undefined))
    await say('on fridays', { validity: { mode: 'conditional', conditions: { day: 'friday' } } })
    await say('on mondays', { validity: { mode: 'conditional', conditions: { day: 'monday' } } })
    expect(outcomes).toEqual(range(6).map(() => 'created'))
    await say('beos', during('2026-01-20T00:00:00Z', '2026-02-02T00:00:00Z'))
    await say('off on mondays', { validity: { mode: 'conditional', conditions: { day: 'monday' } } })
    expect(outcomes.slice(6)).toEqual(['contested', 'contested'])
  })
})
