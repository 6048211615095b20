type Series = { name: string; labels: Record<string, string>; value: number }
export type PrometheusText = { types: Record<string, string>; series: Series[] }

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g

/** Parses the text format of Prometheus strictly: a line that it does not know throws. */
export function parsePrometheusText(text: string): PrometheusText {
  const types: Record<string, string> = {}
  const series: Series[] = []
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (name !== undefined && type !== undefined) {
      if (name in types) throw new Error(`${name} is described twice`)
      types[name] = type
    } else if (line !== '' && !line.startsWith('# HELP ')) series.push(readSample(line))
  }
  return { types, series }
}

function readSample(line: string): Series {
  const [, name, labels = '', value = ''] = sampleLine.exec(line) ?? []
  if (name === undefined) throw new Error(`no sample: ${line}`)
  const pairs = [...labels.matchAll(label)].map(([, key = '', text = '']) => [key, text])
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value)
  if (Number.isNaN(number) && value !== 'NaN' && value !== 'Nan') throw new Error(`no number: ${line}`)
  return { name, labels: Object.fromEntries(pairs), value: number }
}

/** Returns the values of the series with this name and at least these labels. */
export function findValues(
  { series }: PrometheusText,
  name: string,
  labels: Record<string, string> = {},
): number[] {
  return series
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
    .map(({ value }) => value)
}
