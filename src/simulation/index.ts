/**
 * Simulations: what another half-life, policy or budget would have forgotten, by playing recorded lives again.
 * Not here: forgetting itself and the exact curves (lifecycle/, domain/), requests and runs (maintenance/).
 */
export { createSimulation } from './simulation.job.ts'
export { NewSimulation, SimulatedPoint } from './simulation.schemas.ts'
export { requireOneQuestion } from './simulation-request.ts'
