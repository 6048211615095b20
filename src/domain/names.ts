/**
 * One spelling for a name: NFKC, lower case, single spaces. Different ways of typing it give the same result.
 */
export function normaliseName(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
}
