import { describe, expect, it } from 'vitest'
import { listStatementWords } from '../../../src/retrieval/question/statement-words.ts'

const asking: readonly [question: string, word: string][] = [
  ['What is my name?', 'nickname'],
  ['Where do I live?', 'move'],
  ['Which city am I living in now?', 'apartment'],
  ['What do we do for a living?', 'company'],
  ["What's my current job?", 'engineer'],
  ['How old am I?', 'birthday'],
  ['Where am I originally from?', 'hometown'],
  ['Am I married?', 'wife'],
  ['Who is my husband?', 'wedding'],
  ['How many children do I have?', 'daughter'],
  ['Do I have any pets?', 'dog'],
  ['What am I allergic to?', 'peanut'],
  ["What can't I eat?", 'gluten'],
  ['How do I get to work?', 'bicycle'],
  ['Which languages can I speak?', 'fluent'],
  ['What do I like to do in my free time?', 'hobby'],
  ['What did I study?', 'university'],
  ['Where does Ada Byron live?', 'move'],
  ["What is Ada's job?", 'company'],
  ['Does Ada have any pets?', 'dog'],
]

const others = [
  'What is the name of the project?',
  'Where do we store the backups?',
  'How do I deploy the service?',
  'What did Ada buy for her children?',
  'Which lessons did Ada take?',
  'Is Ada a nice person?',
  'Who is Ada?',
  'What do I do when the build fails?',
  'Was ist mein Name?',
  `Where do I live${'!'.repeat(100_000)}`,
  `${'my name '.repeat(100_000)}?`,
]

describe('the words of statements', () => {
  it.each(asking)('are added where a person is asked about: %s', (question, word) => {
    expect(listStatementWords(question).split(' ')).toContain(word)
  })

  it.each(others)('are not added to other questions: %.40s', (question) => {
    expect(listStatementWords(question)).toBe('')
  })
})
