import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildStatement, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const store = async (text: string, more: object = {}) => (await create(app, buildStatement(text, more))).id

/** The records that have a word of the question, best first. */
async function findByWords(task_descriptor: string, more: object = {}): Promise<string[]> {
  const question = { task_descriptor, max_hops: 0, explain: true, record_access: false, ...more }
  const { nodes } = await retrieve(app, question)
  const isByWords = ({ signals }: Body) => signals.channels.some(({ channel }: Body) => channel === 'text')
  return nodes.filter(isByWords).map(({ record }: Body) => record.id)
}

/** More words than are searched, of which no record contains one. */
const aside = Array.from({ length: 60 }, (_, at) => `aside${at}`).join(' ')

describe('a question with more words than are searched', () => {
  it('is searched by the words at its end too', async () => {
    const ferry = await store('The ferry to Porto leaves at seven.', { scope: 'end' })
    await store('Her soup needs more salt.', { scope: 'end' })
    expect(await findByWords(`${aside}. When does the ferry leave?`, { scopes: ['end'] })).toEqual([ferry])
  })

  it('is searched by its rarest words', async () => {
    const common = Array.from({ length: 48 }, (_, at) => `common${at}`).join(' ')
    await store(common, { scope: 'rare' })
    await store(common, { scope: 'rare' })
    const rare = await store('The lighthouse is closed.', { scope: 'rare' })
    expect(await findByWords(`${common} lighthouse`, { scopes: ['rare'] })).toContain(rare)
  })

  it('is searched by the words that it repeats', async () => {
    const chance = Array.from({ length: 60 }, (_, at) => `chance${at}`).join(' ')
    await store(chance, { scope: 'repeats' })
    const torn = await store('The sail is torn.', { scope: 'repeats' })
    const red = await store('The sail is red.', { scope: 'repeats' })
    const found = await findByWords(`A sail. ${chance}. The sail, the sail!`, { scopes: ['repeats'] })
    expect(found).toEqual(expect.arrayContaining([torn, red]))
    expect(await findByWords(`A sail. ${chance}.`, { scopes: ['repeats'] })).toHaveLength(1)
  })
})

describe('words that only ask for help', () => {
  it('find nothing beside what is asked about', async () => {
    await store('Friends recommend the soup.', { scope: 'help' })
    const harbour = await store('The harbour of Porto is quiet.', { scope: 'help' })
    const scopes = { scopes: ['help'] }
    expect(await findByWords('Can you recommend a harbour?', scopes)).toEqual([harbour])
    expect(await findByWords('Which harbour do friends recommend?', scopes)).toHaveLength(2)
  })

  it('find nothing among the suppressed records either', async () => {
    await store('Friends recommend the soup.', { scope: 'withheld' })
    const harbour = await store('The harbour of Porto is quiet.', { scope: 'withheld' })
    const question = {
      task_descriptor: 'Can you recommend a harbour?',
      scopes: ['withheld'],
      min_salience: 2,
    }
    const { suppressed } = await retrieve(app, { ...question, explain: true })
    expect(suppressed.map(({ id }: Body) => id)).toEqual([harbour])
  })

  it('are searched where nothing else is asked', async () => {
    const soup = await store('Friends recommend the soup.', { scope: 'alone' })
    expect(await findByWords('What would you recommend?', { scopes: ['alone'] })).toEqual([soup])
  })
})
