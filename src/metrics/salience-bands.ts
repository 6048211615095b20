/** Lower to upper bound; the last band includes values above 1. */
export const salienceBands = ['0.0-0.2', '0.2-0.4', '0.4-0.6', '0.6-0.8', '0.8-1.0'] as const
