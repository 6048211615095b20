import { describe, expect, it } from 'vitest'
import {
  askAsUser,
  dropHelpRequest,
  isAboutAsker,
  isAboutReplies,
  isForAsker,
} from '../../../src/retrieval/question/asker-in-question.ts'

describe('a question is about whoever asks', () => {
  it.each([
    ['What did I buy in May?', true],
    ["Which trip is the one I'd repeat?", true],
    ['Can you remind me where I parked?', true],
    ['Do you know my size?', true],
    ["Which books would suit me that you'd suggest?", true],
    ["Which is the plan that you'd written for me?", false],
    ['What did you suggest to me?', false],
    ['Would you say that your advice to me was good?', false],
    ['What did Ada buy?', false],
    ['Which minutes are mined?', false],
    [`${'The varnish is dry. '.repeat(9)}What did I buy?`, true],
    [`${'The varnish is dry. '.repeat(10)}What did I buy?`, false],
    ['', false],
  ])('%j: %j', (question, isAbout) => {
    expect(isAboutAsker(question)).toBe(isAbout)
  })
})

describe('a question is about what the assistant told', () => {
  it.each([
    ['Which hotel did you recommend to me?', true],
    ['What was the name of the hostel that you once suggested?', true],
    ['Have you ever mentioned a dentist?', true],
    ["You've already told me about the ferry. When does it leave?", true],
    ['What did I tell you about the ferry?', false],
    ['Can you recommend a hotel?', false],
    ['What did Ada recommend?', false],
    [`${'The varnish is dry. '.repeat(10)}What did you recommend?`, false],
  ])('%j: %j', (question, isAbout) => {
    expect(isAboutReplies(question)).toBe(isAbout)
  })
})

describe('a question is for whoever asks', () => {
  it.each([
    ['What did I buy in May?', true],
    ['What should we cook tonight?', true],
    ['Can you suggest a book about tides?', true],
    ['How do we deploy the billing service?', true],
    ['Which books are there that you would suggest?', true],
    ['What are good options for a first sail?', true],
    ['Any advice on varnish?', true],
    [`${'The varnish is dry. '.repeat(10)}What did I buy?`, true],
    ['What did Ada suggest to Bo?', false],
    ['How does Ada deploy the billing service?', false],
    ['When did Ada move to Porto?', false],
    ['', false],
  ])('%j: %j', (question, isFor) => {
    expect(isForAsker(question)).toBe(isFor)
  })
})

describe('a question without the words that ask for help or say who told', () => {
  it.each([
    ['Can you recommend a hotel in Porto?', '  a hotel in Porto?'],
    ["Which hotel would you please suggest, or you'd avoid?", "Which hotel  , or you'd avoid?"],
    ['Which hotel did you recommend to me?', 'Which hotel   to me?'],
    ['You told me about a hotel. Which one?', '  me about a hotel. Which one?'],
    ['What did you recommend?', 'What did you recommend?'],
    ['Can you help me?', 'Can you help me?'],
    ['Who said "can you recommend a hotel"?', 'Who said "can you recommend a hotel"?'],
  ])('%j: %j', (question, left) => {
    expect(dropHelpRequest(question).trim()).toBe(left.trim())
  })
})

describe('a question of an agent for its user is read as the user asks it', () => {
  it.each([
    ['What did the user buy in May?', 'What did I buy in May?'],
    ["The user's sister and user’s car", 'my sister and my car'],
    ['user preferences hotels', 'my preferences hotels'],
    ['What did the assistant recommend to the user?', 'What did you recommend to I?'],
    ["Was the ferry in the AI assistant's list?", 'Was the ferry in your list?'],
  ])('%j', (question, asked) => {
    expect(askAsUser(question)).toBe(asked)
  })

  it.each([
    'How does a user sign in?',
    "Can a user's session be stolen?",
    'Does the user interface show users?',
    'the user-facing docs',
    'user authentication in Flask',
    '"the user" is shown',
    'Who is the user?',
  ])('except %j', (question) => {
    expect(askAsUser(question)).toBe(question)
  })
})
