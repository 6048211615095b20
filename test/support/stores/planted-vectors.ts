import { findNearest } from '../../../src/domain/vectors/similarity.ts'
import { idOf } from '../texts/numbered-ids.ts'
import { createVectorSource } from './random-vectors.ts'

/** Vectors around thirty directions, and questions that are near one of them. */

export const dimensions = 72
export const size = 1_500
const source = createVectorSource(5)
const centres = Array.from({ length: 30 }, () => source.unit(dimensions))
export const around = (at: number) => source.near(centres[at % 30] ?? source.unit(dimensions), 0.7)
export const placed = Array.from({ length: size }, (_, at) => ({ id: idOf(at + 1), vector: around(at) }))
export const questions = Array.from({ length: 20 }, (_, at) => around(at))
export const [question = new Float32Array(dimensions)] = questions

export const idsOf = (found: readonly { id: string }[] | undefined) => found?.map(({ id }) => id)
export const nearestTo = (vector: Float32Array, limit: number, among = placed) =>
  findNearest(vector, among, limit)
