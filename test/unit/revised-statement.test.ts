import { describe, expect, it } from 'vitest'
import { reviseStatement } from '../../src/mcp/revised-statement.ts'

const region = { subject: 'shop-api', predicate: 'is_deployed_to', object: 'eu-central-1' }

describe('a fact that a text replaces', () => {
  it.each<[string, object]>([
    ['shop-api is deployed to eu-west-1.', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['Shop-API is deployed to eu-west-1', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['The shop is deployed to eu-west-1.', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['eu-west-1', { predicate: 'is_deployed_to', object: 'eu-west-1' }],
    ['shop-api moved to Dublin.', { predicate: 'note', object: 'shop-api moved to Dublin.' }],
    ['It is deployed to Dublin.', { predicate: 'note', object: 'It is deployed to Dublin.' }],
    ['shop-api is deployed to .', { predicate: 'note', object: 'shop-api is deployed to .' }],
  ])('says %j once', (text, said) => {
    expect(reviseStatement(region, ['shop-api', 'The shop'], text)).toEqual(said)
  })

  it.each([
    { subject: 'Ada', predicate: 'note', object: 'Ada drinks tea.' },
    { subject: 'Ada', predicate: 'profile', object: 'Ada drinks tea.' },
    { subject: 'users/ada', predicate: 'drink', object: { text: 'Ada drinks tea.' } },
  ])('keeps a predicate whose object is a text or a value: $predicate', (fact) => {
    const text = 'Ada drinks coffee.'
    expect(reviseStatement(fact, ['Ada', 'drink'], text)).toEqual({ predicate: fact.predicate, object: text })
  })
})
