import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashEmbedding } from '../../../src/embeddings/embedders/feature-hashing.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import {
  buildService,
  buildStatement,
  link,
  listNodeIds,
  retrieve,
} from '../../support/requests/retrieval-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../../support/stores/insert-vectors.ts'
import { startTestApp } from '../../support/test-app.ts'

const dimensions = 256
const texts = {
  juice: 'apple juice is red',
  tart: 'an apple tart for the guests',
  turned: 'a tart of apple',
  pear: 'a pear from the garden',
}

let ids: Record<keyof typeof texts | 'cellar', string>
const app = await startTestApp()
beforeAll(async () => {
  const modelId = await insertEmbeddingModel(app.database.db, dimensions)
  const store = async (text: string) => {
    const { id } = await create(app, buildStatement(text))
    await insertVectors(app.database.db, modelId, [{ id, vector: hashEmbedding(text, dimensions) }])
    return id
  }
  const stored: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts)) stored[name] = await store(text)
  const { id: cellar } = await create(app, buildService('cellar'))
  for (const id of Object.values(stored)) await link(app, cellar, 'holds', id)
  ids = { ...stored, cellar } as typeof ids
})
afterAll(() => app.close())

const vector = [...hashEmbedding('apple tart juice pear', dimensions)]
const ask = (task_descriptor: string, more: object = {}) =>
  retrieve(app, { task_descriptor, max_hops: 0, record_access: false, explain: true, ...more })
const namesOf = (answer: Body) => {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  return listNodeIds(answer)
    .map((id) => names.get(id))
    .sort()
}
const channelsOf = ({ nodes }: Body) => [
  ...new Set(nodes.flatMap(({ signals }: Body) => signals.channels.map(({ channel }: Body) => channel))),
]

describe('a long text with quotes or a leading minus', () => {
  const rest = Array.from({ length: 50 }, (_, at) => `word${at}`).join(' ')

  it('requires and excludes nothing', async () => {
    const names = namesOf(await ask(`"apple tart" -juice ${rest}`))
    expect(names).toEqual(expect.arrayContaining(['juice', 'tart', 'turned']))
  })
})

describe('a question with quotes or a leading minus', () => {
  it('is answered without the excluded words by words and by vectors', async () => {
    expect(namesOf(await ask('apple'))).toContain('juice')
    const answer = await ask('apple -juice')
    expect(namesOf(answer)).not.toContain('juice')
    expect(namesOf(answer)).toEqual(expect.arrayContaining(['tart', 'turned']))
    expect(channelsOf(answer)).toEqual(expect.arrayContaining(['text', 'vector']))
    expect(namesOf(await ask('apple -"apple tart"'))).toEqual(expect.not.arrayContaining(['tart']))
  })

  it('is answered by nothing but what contains a phrase in quotes', async () => {
    expect(namesOf(await ask('"apple tart"'))).toEqual(['tart'])
    expect(namesOf(await ask('garden "apple tart"'))).toEqual(['tart'])
  })

  it('that ends with a question mark is answered by the words of its quotes', async () => {
    const unquoted = namesOf(await ask('Who brought apple tart?'))
    expect(unquoted).toContain('turned')
    expect(namesOf(await ask('Who brought "apple tart"?'))).toEqual(unquoted)
    expect(namesOf(await ask('"Who brought apple tart?"'))).toEqual(unquoted)
    expect(namesOf(await ask('Who brought apple -tart?'))).not.toContain('turned')
  })

  it('is asked by its words when no record contains the phrase', async () => {
    expect(namesOf(await ask('"tart apple"'))).toEqual(namesOf(await ask('tart apple')))
    expect(namesOf(await ask('"-tart -apple"'))).toContain('turned')
    const excluding = namesOf(await ask('"tart apple" -guests'))
    expect(excluding).toContain('turned')
    expect(excluding).not.toContain('tart')
  })

  it('excludes from records found by a name and by a given vector too', async () => {
    expect(namesOf(await ask('cellar'))).toContain('juice')
    const named = await ask('cellar -juice')
    expect(namesOf(named)).not.toContain('juice')
    expect(channelsOf(named)).toContain('graph')
    expect(namesOf(await ask('tart -cellar'))).not.toContain('cellar')
    expect(namesOf(await ask('pear -apple', { query_embedding: vector }))).not.toContain('tart')
    expect(namesOf(await ask('"apple tart"', { query_embedding: vector }))).toEqual(['tart'])
  })

  it('with only exclusions is answered by the most salient of the other records', async () => {
    const answer = await ask('-apple')
    expect(namesOf(answer)).toEqual(['cellar', 'pear'])
    expect(channelsOf(answer)).toEqual(['salience'])
  })

  it('requires nothing by a phrase of stop words', async () => {
    const plain = namesOf(await ask('apple the'))
    for (const requirement of ['"the"', '-the', '-"of the"', '""', '-', '-!']) {
      expect(namesOf(await ask(`apple ${requirement}`)), requirement).toEqual(plain)
    }
    expect(namesOf(await ask('"the"'))).toContain('pear')
  })

  it('explains nothing as suppressed that it excludes', async () => {
    const { suppressed } = await ask('apple -juice', { min_salience: 2 })
    const withheld = suppressed.map(({ id }: Body) => id)
    expect(withheld).toContain(ids.tart)
    expect(withheld).not.toContain(ids.juice)
  })

  it('may have many requirements', async () => {
    const words = Array.from({ length: 49 }, (_, at) => `b${at}`)
    expect(namesOf(await ask(`apple ${words.map((word) => `-${word}`).join(' ')}`))).toContain('juice')
    expect(namesOf(await ask(`apple ${words.map((word) => `"${word}"`).join(' ')}`))).toContain('juice')
  })
})
