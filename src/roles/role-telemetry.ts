import packageJson from '../../package.json' with { type: 'json' }
import type { Service } from '../process/run-until-stopped.ts'
import { createInstruments } from '../telemetry/instruments.ts'
import type { RoleContext } from './role-context.ts'

export type Instruments = ReturnType<typeof createInstruments>

/** The metrics of the process, and its traces if an endpoint for them is configured. */
export async function openTelemetry({ config, ids }: RoleContext, role: string) {
  const instruments = createInstruments()
  instruments.watchProcess()
  const { endpoint, ...settings } = config.tracing
  if (endpoint === undefined) return { instruments, close: async () => {} }
  const { startTracing, traceStatements } = await import('../telemetry/index.ts')
  const version = packageJson.version
  const { tracer, close } = startTracing({ endpoint, ...settings }, { role, version, instance: ids.random() })
  return { instruments, tracer, onStatement: traceStatements(tracer), close }
}

/** Sends the last traces before the process ends. */
export function addClose(service: Service, close: () => Promise<void>): Service {
  return {
    ...service,
    stop: async () => {
      const clean = await service.stop()
      await close()
      return clean
    },
  }
}
