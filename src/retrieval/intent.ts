/** Recognises the kind of question in a task descriptor, and how much each channel counts for it. */

export type Intent = 'why' | 'when' | 'who' | 'how' | 'what'
export type Channel = 'vector' | 'text' | 'graph' | 'salience'
export type ChannelWeights = Record<Channel, number>

const salience = 0.5

export const channelWeights: Record<Intent, ChannelWeights> = {
  why: { vector: 1, text: 0.8, graph: 1.5, salience },
  when: { vector: 0.8, text: 1.2, graph: 0.8, salience },
  who: { vector: 0.8, text: 0.8, graph: 1.8, salience },
  how: { vector: 1.2, text: 1, graph: 0.8, salience },
  what: { vector: 1, text: 1, graph: 1, salience },
}

/**
 * Few and unambiguous words: words such as "time", "process" or "last" occur in many tasks and say little about the
 * question.
 */
const cueWords: Record<Exclude<Intent, 'what'>, string> = {
  why: 'why because cause caused causes reason reasons rationale motivation',
  when: 'when date dates deadline timeline yesterday today tomorrow ago until recently',
  who: 'who whom whose person people author authors owner owners maintainer maintainers assignee',
  how: 'how step steps procedure procedures instructions guide tutorial recipe workflow',
}

const intentByCue = new Map(
  Object.entries(cueWords).flatMap(([intent, words]) =>
    words.split(' ').map((word) => [word, intent as Intent] as const),
  ),
)

/** The intent with the most cue words. Ties go to the intent that comes first in the text. */
export function intentOf(text: string): Intent {
  const counts = new Map<Intent, number>()
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const intent = intentByCue.get(word)
    if (intent) counts.set(intent, (counts.get(intent) ?? 0) + 1)
  }
  let [strongest, most]: [Intent, number] = ['what', 0]
  for (const [intent, count] of counts) {
    if (count > most) [strongest, most] = [intent, count]
  }
  return strongest
}
