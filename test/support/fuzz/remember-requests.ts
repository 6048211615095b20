import { uuid } from '../texts/uuid.ts'

/** Keeps the newest requests that name each record, so that a breach of a law can be traced to the request behind it. */
export function rememberRequests(maxPerRecord = 3) {
  const byRecord = new Map<string, string[]>()
  return {
    add(number: number, described: string, answer: string): void {
      const text = `${number}. ${described}\n→ ${answer}`
      for (const id of findIds(text)) {
        byRecord.set(id, [...(byRecord.get(id) ?? []), text].slice(-maxPerRecord))
      }
    },
    /** The requests that name the records of a text, oldest first. */
    describe(text: string): string {
      const requests = findIds(text).flatMap((id) => byRecord.get(id) ?? [])
      return [text, ...new Set(requests)].join('\n\n')
    },
  }
}

function findIds(text: string): string[] {
  return [...new Set((text.match(uuid) ?? []).map((id) => id.toLowerCase()))]
}
