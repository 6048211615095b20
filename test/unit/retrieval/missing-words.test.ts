import { describe, expect, it } from 'vitest'
import { listMissingWords } from '../../../src/retrieval/prompt/missing-words.ts'

const lines = ['We use PostgreSQL locks for the job queue', 'shop-api is owned by team checkout']

describe('the words of a question that no line has', () => {
  it.each([
    ['What does the CFO think about penguins?', ['CFO', 'penguins']],
    ['Does the queue use Kafka for invoices?', ['Kafka', 'invoices']],
    ["What is the name of Ada's dog?", ['Ada', 'dog']],
    ['Queue of brown penguins?', ['brown', 'penguins']],
  ])('are listed, as in "%s"', (question, missing) => {
    expect(listMissingWords(question, lines)).toEqual(missing)
  })

  it.each([
    ['has another ending', 'Who owns the locking of jobs?'],
    ['is a common one', 'What should we do about it?'],
    ['is one of two', 'What runs the queue?'],
    ['is one of few', 'Which database has the locks of the job queue?'],
    ['is around the question', 'Hello! Who owns shop-api? Answer in one short sentence.'],
    ['is of a script without spaces', '仕事の予定はどこですか'],
    ['is of a long text', Array.from({ length: 60 }, (_, at) => `unheard${at}`).join(' ')],
  ])('are none if a word %s', (_, question) => {
    expect(listMissingWords(question, lines)).toEqual([])
  })

  it('are none if nothing was found', () => {
    expect(listMissingWords('What does the CFO think?', [])).toEqual([])
  })
})
