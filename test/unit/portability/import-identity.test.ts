import { expect, it } from 'vitest'
import { createIdentity } from '../../../src/portability/foreign/identity.ts'

it('the id of an imported item never changes, because stores know their items by it', () => {
  const identity = createIdentity('a secret', 'mem0', 'team')
  expect(identity('m1')).toBe('0f7c2834-077b-88b8-9d60-6c44f4b19bcc')
  expect(new Set([0, 1, 2].map((others) => identity('m1', others))).size).toBe(3)
})
