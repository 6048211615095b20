import { formatCount, formatScore, formatShare, nameUnit, toWords } from '../parts/numbers.js'
import { listComingDays, listPastDays, toBands, toBars } from '../plots/metric-series.js'

/** @import { StoreMetrics } from '../api/types.d.ts' */
/** @import { Bar } from '../plots/bars.js' */
/** @import { Column } from '../plots/columns.js' */

/** @typedef {{ label: string, value: string, unit?: string | undefined, note: string, isSampled?: boolean }} Figure */
/** @typedef {{ label: string, unit: string, bars: readonly Bar[], isSampled?: boolean }} Distribution */
/** @typedef {{ label: string, columns: readonly Column[] }} DailyCounts records of each day */
/** @typedef {{ title: string, figures: readonly Figure[], bars: readonly Distribution[], dailyCounts?: readonly DailyCounts[] }} Group */

/** The figures with their meaning, in the order in which they are read. @param {StoreMetrics} metrics @returns {readonly Group[]} */
export function describeFigures(metrics) {
  return [describeStock(metrics), describeStrength(metrics), describeUse(metrics), describeRegret(metrics)]
}

/** @param {StoreMetrics} metrics @returns {Group} */
function describeStock(metrics) {
  return {
    title: 'Contents',
    figures: [
      countRecords(
        'Records',
        metrics.total_records,
        'Records that are not forgotten and that your key reads in full.',
      ),
      countRecords('Active', metrics.active_records, 'Records with the status active.'),
      countRecords('Pinned', metrics.pinned_records, 'They do not fade.'),
      {
        label: 'Log',
        value: formatCount(metrics.total_audit_entries),
        unit: nameUnit(metrics.total_audit_entries, 'entry', 'entries'),
        note: 'In the audit logs of these records.',
        isSampled: true,
      },
      share('New in 24 hours', metrics.memory_growth_rate, 'of the records', 'Created in the last 24 hours.'),
    ],
    bars: [
      { label: 'Records by type', unit: 'Records', bars: toBars(metrics.records_by_type) },
      { label: 'Records by layer', unit: 'Records', bars: toBars(metrics.records_by_layer) },
      { label: 'Records by status', unit: 'Records', bars: toBars(metrics.records_by_status) },
    ],
    dailyCounts: [{ label: 'Growth', columns: listPastDays(metrics.created_by_day) }],
  }
}

/** @param {StoreMetrics} metrics @returns {Group} */
function describeStrength(metrics) {
  return {
    title: 'Strength',
    figures: [
      {
        label: 'Mean salience',
        value: formatScore(metrics.avg_salience),
        unit: 'from 0, usually to 1',
        note: 'How present a record is; it fades with time.',
        isSampled: true,
      },
      {
        label: 'Mean confidence',
        value: formatScore(metrics.avg_confidence),
        unit: 'from 0 to 1',
        note: 'How sure the service is that a record is true.',
        isSampled: true,
      },
    ],
    bars: [
      {
        label: 'Records by salience',
        unit: 'Records',
        isSampled: true,
        bars: toBands(metrics.salience_distribution),
      },
      {
        label: 'Records by importance',
        unit: 'Records',
        isSampled: true,
        bars: toBands(metrics.importance_distribution),
      },
    ],
    dailyCounts: [{ label: 'Fades away in 7 days', columns: listComingDays(metrics.fading_by_day) }],
  }
}

/** @param {StoreMetrics} metrics @returns {Group} */
function describeUse(metrics) {
  const { plan_reuse_frequency: reuse } = metrics
  return {
    title: 'Use',
    figures: [
      {
        ...share(
          'Used when served',
          metrics.retrieval_usefulness,
          'of the accesses',
          'Accesses that used a record. The others only showed it in an answer.',
        ),
        isSampled: true,
      },
      {
        ...share(
          'Success of competences',
          metrics.competence_success_rate,
          'of their uses',
          'Uses of skills that ended well, as clients reported.',
        ),
        isSampled: true,
      },
      {
        label: 'Reuse of plans',
        value: formatScore(reuse),
        unit: chooseUnit(reuse, 'runs of each plan'),
        note: 'How often a plan was executed on average.',
        isSampled: true,
      },
      share(
        'Revised',
        metrics.revision_rate,
        'of the records',
        'Records that a revision superseded, merged or invalidated.',
      ),
    ],
    bars: [],
  }
}

/** @param {StoreMetrics} metrics @returns {Group} */
function describeRegret({ regret }) {
  const rates = (/** @type {Readonly<Record<string, number>>} */ by) =>
    Object.entries(by).map(([name, value]) => ({
      name: ages[name] ?? toWords(name),
      value,
      shown: formatShare(value),
    }))
  return {
    title: 'Forgotten too early',
    figures: [
      share(
        'Regret',
        regret.rate,
        'of the forgotten',
        'Forgotten records that would have been among the first ten of a later answer.',
      ),
    ],
    bars: [
      { label: 'Regret by reason', unit: 'Share', bars: rates(regret.by_reason) },
      { label: 'Regret by type', unit: 'Share', bars: rates(regret.by_type) },
      { label: 'Regret by age', unit: 'Share', bars: rates(sortAges(regret.by_age)) },
    ].filter(({ bars }) => bars.length > 0),
  }
}

/** @type {Readonly<Record<string, string>>} */
const ages = {
  under_1d: 'under a day',
  '1d_to_7d': '1 to 7 days',
  '7d_to_30d': '7 to 30 days',
  '30d_to_90d': '30 to 90 days',
  over_90d: 'over 90 days',
}

/** The youngest first. @param {Readonly<Record<string, number>>} by */
function sortAges(by) {
  const order = Object.keys(ages)
  return Object.fromEntries(
    Object.entries(by).sort(([one], [other]) => order.indexOf(one) - order.indexOf(other)),
  )
}

/** @param {string} label @param {number} amount @param {string} note @returns {Figure} */
function countRecords(label, amount, note) {
  return { label, value: formatCount(amount), unit: nameUnit(amount, 'record'), note }
}

/** @param {string} label @param {number | null} part @param {string} unit @param {string} note @returns {Figure} */
function share(label, part, unit, note) {
  return { label, value: formatShare(part), unit: chooseUnit(part, unit), note }
}

/** A figure that does not exist has no unit. @param {number | null} value @param {string} unit */
function chooseUnit(value, unit) {
  return value === null ? undefined : unit
}
