import { expect, it } from 'vitest'
import { asksForTasks } from '../../../src/retrieval/question/tasks-in-question.ts'

it.each([
  'What am I working on?',
  'what were we doing last week',
  'What was I just working on?',
  'What have you been up to?',
  'What should I do next?',
  "What's next?",
  'What is left to do?',
  'What is still open?',
  'Where did we leave off?',
  'List my tasks.',
  'Which tasks are still open?',
  'Is there unfinished work?',
  'Continue with the work.',
  'What is the user working on?',
  'What does the user have to do next?',
  "List the user's tasks.",
])('%s asks for the tasks under way', (question) => {
  expect(asksForTasks(question)).toBe(true)
})

it.each([
  'What changed this week?',
  'What did Ada work on?',
  'What is next to the church?',
  'What is open on Sunday?',
  'What did my work friends say?',
  'What do we have to do with the old servers?',
  'Where did we leave the car?',
  'How do I release?',
  `What am I working on? ${'It is long. '.repeat(20)}`,
])('%s does not ask for the tasks under way', (question) => {
  expect(asksForTasks(question)).toBe(false)
})
