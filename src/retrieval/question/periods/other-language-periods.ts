import { createReader, createUnspacedReader, type PeriodReader, year } from './period-reader.ts'
import { computeCalendarRange, listDateRanges } from './periods.ts'

/** Times in German, French, Spanish, Chinese, Japanese and Korean. */

/** Names of each month in German, French and Spanish. */
const months = [
  'januar|janvier|enero',
  'februar|février|febrero',
  'märz|mars|marzo',
  'april|avril|abril',
  'mai|mayo',
  'juni|juin|junio',
  'juli|juillet|julio',
  'august|août|agosto',
  'september|septembre|septiembre',
  'oktober|octobre|octubre',
  'november|novembre|noviembre',
  'dezember|décembre|diciembre',
].map((names) => names.split('|'))
const month = `(${months.flat().join('|')})`
const monthOf = (name = '') => months.findIndex((names) => names.includes(name)) + 1

/** Before the readers of English, which would read only the month of "7. August 2025". */
export const otherDateReaders: readonly PeriodReader[] = [
  createReader(`(\\d{1,2})(?:\\.|er)? (?:de )?${month}(?:,? (?:del? )?${year})?`, ([day, name, y], at) =>
    listDateRanges(at, { year: y, month: monthOf(name), day }),
  ),
  createReader(`${month} (?:del? )?${year}`, ([name, y], at) =>
    listDateRanges(at, { year: y, month: monthOf(name) }),
  ),
  createReader(`(?<=(?<!\\p{L})(?:im|seit|en|depuis|desde) )${month}`, ([name], at) =>
    listDateRanges(at, { year: undefined, month: monthOf(name) }),
  ),
]

type Unit = 'day' | 'week' | 'month' | 'year'
/** The words of a language that has spaces, the unit, and how many units ago. */
type Relative = readonly [words: string, unit: Unit, back: number]

/** "Hier" means "here" in German. */
const hier =
  "(?<=(?<!\\p{L})(?:je|j'ai|tu|on|nous|vous|avons|avez|au|le|la|les|est-ce|que|qui|quoi|quels?|quelles?)(?!\\p{L}).*)hier"

const spaced: readonly Relative[] = [
  ['vorgestern|avant-hier|anteayer', 'day', 2],
  [`gestern|${hier}|ayer`, 'day', 1],
  ["heute|aujourd['’]hui|hoy", 'day', 0],
  ['(?:letzter?n?|voriger?n?) woche|la semaine (?:dernière|passée)|la semana pasada', 'week', 1],
  ['dieser? woche|cette semaine|esta semana', 'week', 0],
  ['(?:letzten|vorigen) monat|le mois (?:dernier|passé)|el mes pasado', 'month', 1],
  ['diesen monat|ce mois(?:-ci)?|este mes', 'month', 0],
  ["(?:letztes|voriges) jahr|l['’]an(?:née dernière| dernier)|el año pasado", 'year', 1],
  ['dieses jahr|cette année|este año', 'year', 0],
]
const unspaced: readonly Relative[] = [
  ['前天|一昨日|그저께|그제', 'day', 2],
  ['昨天|昨日|어제', 'day', 1],
  ['今天|今日|오늘', 'day', 0],
  ['上(?:个|個)?(?:周|週|星期)|先週|지난 ?주', 'week', 1],
  ['(?:这|這|本)(?:个|個)?(?:周|週|星期)|今週|이번 ?주', 'week', 0],
  ['上(?:个|個)?月|先月|지난 ?달', 'month', 1],
  ['(?:这|這|本)(?:个|個)?月|今月|이번 ?달', 'month', 0],
  ['去年|昨年|작년|지난해', 'year', 1],
  ['今年|올해', 'year', 0],
]

const units: ReadonlyMap<string, Unit> = new Map([
  ...['tag', 'jour', 'día', '天', '日', '일'].map((name) => [name, 'day'] as const),
  ...['woche', 'semaine', 'semana', '周', '週', '週間', '주'].map((name) => [name, 'week'] as const),
  ...['monat', 'mois', 'mes', '个月', '個月', 'か月', 'ヶ月', '개월', '달'].map(
    (name) => [name, 'month'] as const,
  ),
  ...['jahr', 'an', 'année', 'año', '年', '년'].map((name) => [name, 'year'] as const),
])
const unit = `(${[...units.keys()].join('|')})`
const digits = '一二三四五六七八九十'

const readAgo: PeriodReader['read'] = ([n = '', name = ''], at) => [
  computeCalendarRange(at, units.get(name) ?? 'day', parseNumber(n)),
]

export const otherRelativeReaders: readonly PeriodReader[] = [
  createReader(`(?:vor|il y a|hace) (\\d{1,3}|einem|einer|une?|una) ${unit}(?:e?n|e?s)?`, readAgo),
  createUnspacedReader(`(\\d{1,3}|[${digits}两]) ?${unit} ?(?:以?前|전)`, readAgo),
  ...spaced.map(([words, ...counted]) => createReader(`(?:${words})`, countBack(counted))),
  ...unspaced.map(([words, ...counted]) => createUnspacedReader(`(?:${words})`, countBack(counted))),
]

function countBack([name, back]: readonly [Unit, number]): PeriodReader['read'] {
  return (_, at) => [computeCalendarRange(at, name, back)]
}

function parseNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text)
  return text === '两' ? 2 : Math.max(1, digits.indexOf(text) + 1)
}
