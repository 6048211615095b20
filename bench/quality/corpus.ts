import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** Conversations with questions whose answers are known to stand in certain messages. */
export type Corpus = { name: string; conversations: Conversation[] }
export type Conversation = { id: string; split: Split; messages: Message[]; questions: Question[] }
export type Split = 'dev' | 'held'
export type Message = { id: string; role: string; name?: string; at: string; content: string }
export type Question = { text: string; category: string; evidence: string[] }

/** A corpus from a file: in our own shape, or the file of LoCoMo, which is a list. */
export async function readCorpus(file: string): Promise<Corpus> {
  const content: unknown = JSON.parse(await readFile(file, 'utf8'))
  return Array.isArray(content) ? readLocomo(content as LocomoConversation[]) : (content as Corpus)
}

/** All corpora of this repository. */
export async function readOwnCorpora(): Promise<Corpus[]> {
  const folder = resolve(import.meta.dirname, 'corpora')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  return Promise.all(files.map((file) => readCorpus(resolve(folder, file))))
}

export async function readOwnConversations(): Promise<Conversation[]> {
  return (await readOwnCorpora()).flatMap(({ conversations }) => conversations)
}

/** The conversations that settings are chosen by. The others only report. */
const developmentIndexes: ReadonlySet<number> = new Set([0, 1, 3])
/** The fifth category asks for what was never said, which no message is evidence of. */
const answerable = 4

type LocomoTurn = { dia_id: string; speaker: string; text: string; blip_caption?: string }
type LocomoQuestion = { question: string; category: number; evidence: string[] }
type LocomoConversation = { sample_id: string; conversation: Record<string, unknown>; qa: LocomoQuestion[] }

/** LoCoMo (github.com/snap-research/LoCoMo, data/locomo10.json): each session has one time; its turns follow by a minute. */
function readLocomo(raw: readonly LocomoConversation[]): Corpus {
  const conversations = raw.map(({ sample_id: id, conversation, qa }, index): Conversation => {
    const messages = listTurns(conversation)
    const known = new Set(messages.map((message) => message.id))
    const questions = qa
      .filter(({ category }) => category <= answerable)
      .map(({ question, category, evidence }) => ({
        text: question,
        category: String(category),
        evidence: [...new Set(evidence.flatMap(readIds))].filter((each) => known.has(each)),
      }))
      .filter(({ evidence }) => evidence.length > 0)
    return { id, split: developmentIndexes.has(index) ? 'dev' : 'held', messages, questions }
  })
  return { name: 'locomo', conversations }
}

function listTurns(conversation: Record<string, unknown>): Message[] {
  const messages: Message[] = []
  for (let session = 1; Array.isArray(conversation[`session_${session}`]); session++) {
    const start = readTime(String(conversation[`session_${session}_date_time`]))
    const turns = conversation[`session_${session}`] as LocomoTurn[]
    for (const [index, { dia_id: id, speaker, text, blip_caption: caption }] of turns.entries()) {
      const at = new Date(start + index * 60_000).toISOString()
      const content = caption === undefined ? text : `${text} [shares ${caption}]`
      messages.push({ id, role: 'user', name: speaker, at, content })
    }
  }
  return messages
}

/** Some entries hold several ids, and some a leading zero. */
function readIds(entry: string): string[] {
  return Array.from(entry.matchAll(/D0*(\d+):0*(\d+)/g), ([, session, turn]) => `D${session}:${turn}`)
}

/** "1:56 pm on 8 May, 2023" */
function readTime(text: string): number {
  const [time = '', date = ''] = text.split(' on ')
  return Date.parse(`${date.replace(',', '')} ${time} UTC`)
}
