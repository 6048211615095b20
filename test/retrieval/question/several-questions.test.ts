import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let app: TestApp
let ferry: string
let bicycles: string[]

beforeAll(async () => {
  app = await startTestApp()
  bicycles = []
  for (const colour of ['red', 'blue', 'green', 'black', 'white', 'yellow']) {
    const text = `Ada rode her ${colour} racing bicycle along the northern harbour.`
    bicycles.push((await create(app, buildStatement(text))).id)
  }
  ferry = (await create(app, buildStatement('The ferry to Porto leaves at seven.'))).id
  await create(app, buildStatement('Grace likes tea.', { base_importance: 1 }))
  // Others, so that the words of the bicycles are rare.
  for (let at = 0; at < 40; at++) await create(app, buildStatement(`Shelf ${at} holds spare paper.`))
})
afterAll(() => app.close())

const harbour = 'Where along the northern harbour did Ada ride her racing bicycle'

const ask = (task_descriptor: string, more: object = {}) =>
  retrieve(app, { task_descriptor, max_hops: 0, explain: true, record_access: false, ...more })

describe('a task with several questions', () => {
  it.each([
    `${harbour}? When does the ferry to Porto leave?`,
    `${harbour}, and when does the ferry leave?`,
    `When does the ferry leave? ${harbour}?`,
    JSON.stringify([
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: 'What is it?' },
      { role: 'user', content: `${harbour}? When does the ferry to Porto leave?` },
    ]),
  ])('gets the answer of each among the first: %j', async (task) => {
    const ids = listNodeIds(await ask(task, { root_limit: 2 }))
    expect(ids).toContain(ferry)
    expect(ids.filter((id) => bicycles.includes(id))).toHaveLength(1)
  })

  it('has one order, and scores that are the product of their signals', async () => {
    const { nodes } = await ask(`${harbour}? When does the ferry to Porto leave?`)
    const scores = nodes.map(({ score }: Body) => score)
    expect(scores).toEqual([...scores].sort((one, other) => other - one))
    expect(new Set(listNodeIds({ nodes })).size).toBe(nodes.length)
    for (const { score, signals } of nodes) {
      const factors = Object.entries<number>(signals).filter(([name]) => name.endsWith('_factor'))
      expect(score).toBeCloseTo(
        factors.reduce((product, [, factor]) => product * factor, signals.fused),
        12,
      )
    }
    const factors = nodes.map(({ signals }: Body) => signals.question_factor)
    expect(new Set(factors).size).toBeGreaterThan(2)
  })

  it('gets nothing for a question that no record answers', async () => {
    const task = 'When does the ferry to Porto leave? Which zeppelin flew over Quito?'
    expect(listNodeIds(await ask(task))[0]).toBe(ferry)
    const texts = JSON.stringify((await ask(task)).nodes)
    expect(texts).not.toContain('Grace')
  })

  it('gets the most salient records if none is answered, like a single question', async () => {
    expect((await ask('Which zeppelin flew over Quito? Whose airship crossed Lima?')).nodes).toHaveLength(10)
  })
})

it('one question has the factor 1', async () => {
  const { nodes } = await ask(`${harbour}?`)
  expect(nodes.map(({ signals }: Body) => signals.question_factor)).toEqual(nodes.map(() => 1))
})
