const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** A count in full, with separators. @param {number} count */
export function formatCount(count) {
  return whole.format(count)
}

/** A count such as 1.2M, where there is little room. @param {number} count */
export function formatCompact(count) {
  return compact.format(count)
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB']

/** A size such as 1.2 MB. @param {number} bytes */
export function formatBytes(bytes) {
  const step = Math.min(sizes.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${compact.format(bytes / 1_000 ** step)} ${sizes[step]}`
}

/** @param {number | null | undefined} part from 0 to 1 */
export function formatShare(part) {
  return part === null || part === undefined ? '–' : percent.format(part)
}

/** A salience or importance, with two digits. @param {number | null | undefined} value */
export function formatScore(value) {
  return value === null || value === undefined ? '–' : value.toFixed(2)
}

/** @param {number} count @param {string} one @param {string} [many] */
export function nameCount(count, one, many) {
  return `${formatCount(count)} ${nameUnit(count, one, many)}`
}

/** @param {number} count @param {string} one @param {string} [many] */
export function nameUnit(count, one, many = `${one}s`) {
  return count === 1 ? one : many
}

/** A name of the API as words: `plan_graph` is `plan graph`. @param {string} name */
export function toWords(name) {
  return name.replaceAll('_', ' ')
}
