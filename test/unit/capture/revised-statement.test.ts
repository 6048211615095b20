import { describe, expect, it } from 'vitest'
import { reviseStatement } from '../../../src/capture/notes/revised-statement.ts'

const region = { subject: 'shop-api', predicate: 'is_deployed_to', object: 'eu-central-1' }

describe('a fact that a text replaces', () => {
  it.each<[string, object]>([
    ['shop-api is deployed to eu-west-1.', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['Shop-API is deployed to eu-west-1', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['eu-west-1', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['shop-api moved to Dublin.', { predicate: 'note', object: 'shop-api moved to Dublin.' }],
    ['It is deployed to Dublin.', { predicate: 'note', object: 'It is deployed to Dublin.' }],
    ['shop-api is deployed to .', { predicate: 'note', object: 'shop-api is deployed to .' }],
  ])('says %j once', (text, said) => {
    expect(reviseStatement(region, [region.subject], text)).toEqual(said)
  })

  it('is known by another name of its subject', () => {
    const said = reviseStatement(region, ['shop-api', 'The shop'], 'The shop is deployed to eu-west-1.')
    expect(said).toEqual({ predicate: 'is_deployed_to', object: 'eu-west-1' })
  })

  it.each([
    ['東京店', '東京店は大阪に移転した。'],
    ['Ｃａｆｅ', 'The cafe moved to Dublin.'],
    ['Ada', 'Adam moved to Dublin.'],
  ])('finds %s as a whole name in %j', (subject, text) => {
    const { predicate } = reviseStatement({ ...region, subject }, [subject], text)
    expect(predicate).toBe(subject === 'Ada' ? region.predicate : 'note')
  })

  it.each([
    { subject: 'Ada', predicate: 'note', object: 'Ada drinks tea.' },
    { subject: 'Ada', predicate: 'profile', object: 'Ada drinks tea.' },
    { subject: 'users/ada', predicate: 'drink', object: { text: 'Ada drinks tea.' } },
  ])('keeps a predicate whose object is a text or a value: $predicate', (fact) => {
    const text = 'Ada drinks coffee.'
    const said = { predicate: fact.predicate, object: text }
    expect(reviseStatement(fact, ['Ada', 'drink'], text)).toEqual(said)
  })
})
