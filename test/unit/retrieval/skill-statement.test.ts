import { expect, it } from 'vitest'
import { writePrompt } from '../../../src/retrieval/prompt/prompt-writing.ts'
import { find, idOf, record } from '../../support/stores/prompt-records.ts'

it('says what a skill is used for if its steps only repeat the tools in its name', () => {
  const learned = {
    kind: 'competence',
    skill_name: 'git.pull, then psql',
    triggers: ['tool_output', 'count the invoices', 'find the order', 'zähle', 'a fourth one'].map(
      (signal) => ({ signal }),
    ),
    recipe: ['git.pull', 'psql'].map((tool) => ({ step: `Use ${tool}.`, tool })),
    required_tools: ['git.pull', 'psql'],
    failure_modes: [],
    fallbacks: [],
    performance: { success_count: 3, failure_count: 1, success_rate: 0.75 },
  }
  const options = { question: '', maxTokens: 1_500, format: 'markdown' } as const
  const line = (more: object) =>
    writePrompt(find([record(1, { ...learned, ...more })], { selected: [idOf(1)] }), options)
      .text.split('\n')
      .at(-2)
      ?.replace(/^- \[m:\w+\] 2026-03-01 /, '')
  expect(line({})).toBe(
    'Skill git.pull, then psql. Used for: count the invoices; find the order; zähle. Worked 3 of 4 times',
  )
  expect(line({ triggers: [{ signal: 'tool_output' }] })).toBe(
    'Skill git.pull, then psql. Worked 3 of 4 times',
  )
  expect(line({ skill_name: 'count', performance: undefined })).toBe(
    'Skill count: 1. Use git.pull. 2. Use psql.',
  )
})

it('describes a skill of very many steps and tools in linear time', () => {
  const skill = {
    kind: 'competence',
    skill_name: 'deploy',
    triggers: [],
    recipe: Array.from({ length: 100_000 }, () => ({ step: 'wait' })),
    required_tools: Array.from({ length: 100_000 }, (_, place) => `tool-${place}`),
    failure_modes: [],
    fallbacks: [],
  }
  const began = performance.now()
  const options = { question: '', maxTokens: 1_500, format: 'markdown' } as const
  const { text } = writePrompt(find([record(1, skill)], { selected: [idOf(1)] }), options)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(text).toContain('Skill deploy: 1. wait')
})
