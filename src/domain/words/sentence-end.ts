const mark = /[.!?…。！？]["'”’)]?$/u

/** Whether a text ends a sentence; a quotation mark or bracket may follow the full stop. */
export function endsSentence(text: string): boolean {
  return mark.test(text)
}
