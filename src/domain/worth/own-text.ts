import { removeFooters } from './footers.ts'

/**
 * What the writer of a message says, without what a mail program, a chat or a page puts around it: what others wrote before is a message
 * of its own, and a stamp or a tag says nothing.
 */

/** In characters. The rest of a longer text is not read. */
const maxRead = 20_000

export function readOwnText(text: string): string {
  return removeFooters(removeQuotes(removeTags(text.slice(0, maxRead))))
    .replace(mentions, '$1')
    .replace(stamp, '')
    .replace(listMarks, '')
    .replace(addresses, '$1')
}

/** Of the address of a page only its site says what the message is about. */
const addresses = /(https?:\/\/[^\s/?#]+)\S*/gi

/** The time, and who wrote it, before a message of a copied chat. */
const stamp =
  /^\s*\[?\d{1,4}[-./]\d{1,2}[-./]\d{2,4},?[T ]\s?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?\]?:?(?: - )?\s*(?:\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2}:\s)?(?=\S)/iu

/** "<@U0123|sam>", as Slack writes who is named. */
const mentions = /<[@#!][A-Z0-9]{6,}(?:\|([^<>|]{1,80}))?>/g

/** The number of a point or of a row is no figure. */
const listMarks = /^[^\S\n]*(?:\d{1,2}[.)]|[-*•+]|\|[^\S\n]*\d{1,3}[^\S\n]*\|)[^\S\n]+(?=\S)/gm

/** The tags of a text, not those of code. */
function removeTags(text: string): string {
  return text.includes('</') ? text.replace(tags, ' ') : text
}
const tags =
  /<\/?(?:p|br|div|span|b|i|u|em|strong|a|ul|ol|li|h[1-6]|blockquote|table|tbody|tr|td|th|html|body)(?: [^<>]{0,300})?\/?>/gi

/** A quote is read where a text is nothing else, or where the writer leads to it, as in "The new rule:". */
function removeQuotes(text: string): string {
  const own: string[] = []
  const lines = text.split('\n')
  const end = lines.findIndex((line, at) => beginsMessage(line, lines[at + 1] ?? ''))
  let isRead = false
  for (const line of end === -1 ? lines : lines.slice(0, end)) {
    if (!line.startsWith('>')) {
      own.push(line)
      isRead = false
      continue
    }
    if (!isRead) while (introducesQuote(own.at(-1))) own.pop()
    isRead ||= own.at(-1)?.trimEnd().endsWith(':') === true
    if (isRead) own.push(line)
  }
  const left = own.join('\n')
  return /\p{L}/u.test(left) ? left : text
}

/** Whether the message that is answered stands below, with its headers. What is forwarded says something new. */
function beginsMessage(line: string, next: string): boolean {
  return ruled.test(line) || (sender.test(line) && otherHeader.test(next))
}
/** "-----Original Message-----" */
const ruled =
  /^\s*-{2,} ?(?:original|ursprüngliche|message d.origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk|исходное|原始邮件|元のメッセージ)[\p{L} ]{0,30}-{2,}\s*$/iu
const sender = /^\W{0,3}(?:from|von|de|da|van|от|发件人|寄件者|差出人)\W{0,3}: ?\S/iu
const otherHeader =
  /^\W{0,3}(?:sent|date|to|gesendet|datum|an|envoyé|à|enviad[oa](?: el| em)?|fecha|para|data|inviato|verzonden|отправлено|дата|发送时间|日期|送信日時|日時)\W{0,3}:/iu

/** Says who wrote the quote and when; or an empty line below it. */
function introducesQuote(line: string | undefined): boolean {
  if (line === undefined) return false
  const said = line.trim()
  return said === '' || (said.endsWith(':') && /[\d@]/.test(said))
}
