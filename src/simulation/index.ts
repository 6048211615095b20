/**
 * Simulations: what another half-life, policy or budget would have forgotten, computed from the recorded uses and changes.
 * Here: the job, and what a request for it says. Not here: forgetting itself and the exact curves (lifecycle/, domain/), the
 * route, whose answer is a run, and the runs (maintenance/).
 */
export { createSimulation } from './simulation.job.ts'
export { NewSimulation, SimulatedPoint } from './simulation.schemas.ts'
export { requireOneQuestion } from './simulation-request.ts'
