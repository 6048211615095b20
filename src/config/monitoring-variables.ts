import Type from 'typebox'
import { flag, oneOf, share, url } from './variables.ts'

/** Logs, metrics and traces. */
export const monitoringVariables = {
  LOG_LEVEL: oneOf(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'Lowest level of the log lines that are written.',
    'info',
  ),
  MEMBRANE_METRICS_PUBLIC: flag('Serve /metrics to anyone, without a key.'),
  MEMBRANE_METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port on HOST on which a worker serves its own /metrics, /livez and /readyz. Unset: a worker does not listen.',
      examples: ['9464'],
      minimum: 1,
      maximum: 65_535,
      expects: 'a port from 1 to 65535',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    url(
      'Collector for traces, OTLP over HTTP. The exporter also reads OTEL_EXPORTER_OTLP_HEADERS and the other variables of OpenTelemetry. Unset: no traces.',
      'http://localhost:4318',
      '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
    ),
  ),
  OTEL_SERVICE_NAME: Type.String({
    description: 'Name of the service in traces.',
    default: 'membrane',
    expects: 'text',
  }),
  OTEL_TRACES_SAMPLER_ARG: share('Share of the traces started here that are sent (0 to 1).', '1'),
}
