import { isAscii } from '../words/ascii.ts'

/** Finds the lines of logs, code and output of tools in a text. */

/** Separates the lines for people from those of machines, in which most tokens are no words. */
export function separateMachineText(text: string): { prose: string; machineShare: number } {
  const prose: string[] = []
  let tokens = 0
  let ofMachine = 0
  let isFenced = false
  for (const line of text.split('\n')) {
    const isFence = line.startsWith('```')
    if (isFence) isFenced = !isFenced
    const all = countMatches(line, token)
    const isMachine = isFence || isFenced || isMachineLine(line, all)
    tokens += all
    if (isMachine) ofMachine += all
    else prose.push(line)
  }
  return { prose: prose.join('\n'), machineShare: tokens === 0 ? 0 : ofMachine / tokens }
}

const token = /\S+/g
/** Tokens that are a word, with what may stand around it in a sentence. */
const asciiPlain = /(?<!\S)["'([]*[A-Za-z](?:[A-Za-z'-]*[A-Za-z-])?["')\]]*(?:[.,;:!?]+["')\]]*)?(?!\S)/g
const plain =
  /(?<!\S)["'“‘([]*\p{L}(?:[\p{L}\p{M}'’-]*[\p{L}\p{M}-])?["'”’)\]]*(?:[.,;:!?…]+["'”’)\]]*)?(?!\S)/gu
const machineStart =
  /^\s*(?:[$>#%]\s|at\s+[\w$.]+\(|[{}[\]<]|"[^"\s]{1,60}"\s?:|\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b)/

export function isMachineLine(line: string, tokens = countMatches(line, token)): boolean {
  if (machineStart.test(line)) return true
  return tokens >= 4 && isOfSymbols(line, tokens)
}

/** Whether most tokens are no words. In a line of few tokens this says little. */
export function isOfSymbols(line: string, tokens = countMatches(line, token)): boolean {
  return countMatches(line, isAscii(line) ? asciiPlain : plain) < 0.6 * tokens
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
