import { describe, expect, it } from 'vitest'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'

function readWish(text: string, role?: string): number {
  return readWorthParts({ text, ...(role === undefined ? {} : { role }) }).wish
}

describe('the wish of a person', () => {
  it.each([
    'I need the headrest all the way up.',
    "I'd rather sit at the window.",
    'The screen is too bright for me at night.',
    'This seat is uncomfortable.',
    'Turn the reading light on, please.',
    'Set it to 21 degrees.',
    'The user wants short answers.',
    'Ich möchte kurze Antworten.',
    'Je voudrais une chambre calme.',
    'Necesito una silla más alta.',
    '我需要靠窗的座位。',
  ])('is found in: %s', (text) => {
    expect(readWish(text, 'user')).toBeGreaterThan(0.5)
    expect(readWish(text)).toBeGreaterThan(0.5)
  })

  it.each([
    'Lunch is at noon on Friday.',
    'Too many people were late.',
    'That happened far too late, and too often.',
    'The dial is red.',
    'She set out at dawn and turned left at the mill.',
  ])('is not found in: %s', (text) => {
    expect(readWish(text, 'user')).toBe(0)
  })

  it('is not found in the words of an assistant', () => {
    expect(readWish('I need your address, and let me set the alarm.', 'assistant')).toBe(0)
  })
})
