type Series = { name: string; labels: Record<string, string>; value: number }
export type Exposition = { types: Record<string, string>; series: Series[] }

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g

/** Reads the text that Prometheus reads, as strictly: a line that is none of it fails. */
export function readExposition(text: string): Exposition {
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

/** Of the samples of a name that have at least these labels. */
export function valuesOf(
  { series }: Exposition,
  name: string,
  labels: Record<string, string> = {},
): number[] {
  return series
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
    .map(({ value }) => value)
}
