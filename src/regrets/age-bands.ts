/** How old a record was when it was forgotten, in bands: the upper limit in days, and the name in the metrics. */
export const ageBands = [
  [1, 'under_1d'],
  [7, '1d_to_7d'],
  [30, '7d_to_30d'],
  [90, '30d_to_90d'],
] as const

export const oldestBand = 'over_90d'
