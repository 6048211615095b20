/** Lower bound to upper; the last takes what is above 1 too. */
export const salienceBands = ['0.0-0.2', '0.2-0.4', '0.4-0.6', '0.6-0.8', '0.8-1.0'] as const
