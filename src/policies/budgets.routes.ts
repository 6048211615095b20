import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { type Once, readCallContext } from '../http/idempotency.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { Budget, BudgetChoice, BudgetPage, BudgetPath, BudgetsQuery } from './budgets.schemas.ts'
import type { BudgetsService } from './budgets.service.ts'

export type BudgetsOptions = { budgets: BudgetsService; once: Once }

const reads = { permission: 'records:read' } as const
const writes = { permission: 'admin' } as const
const tags = ['policies']

const rules =
  'The decay job forgets what exceeds the budget, the least worth keeping first: ' +
  '(importance + 3 × base_importance) / 4 × salience^(1/32), as `keeping` of `/explain` shows. It never forgets a ' +
  'record that is pinned, has a policy other than `auto_prune`, or has a protected type or layer. Forgotten records ' +
  'do not count, all others do. A forgotten record can be restored. '

const set = {
  tags,
  body: ref(BudgetChoice),
  response: answers({ 200: { schema: ref(Budget), description: 'The new budget.' } }, [
    'outside_trust',
    'budget_too_small',
  ]),
}
const deleted = answers({ 204: { description: 'The budget is deleted.' } }, [
  'budget_not_found',
  'outside_trust',
])

export const budgetsRoutes: FastifyPluginAsyncTypebox<BudgetsOptions> = async (app, { budgets, once }) => {
  app.get(
    '/v1/policies/budgets',
    {
      config: reads,
      schema: {
        operationId: 'listBudgets',
        tags,
        summary: 'List the budgets',
        description:
          'Returns the default first, without `scope`, and then the budgets of the scopes that the key may see.',
        querystring: BudgetsQuery,
        response: answers({ 200: { schema: ref(BudgetPage), description: 'One page.', headers: ['Link'] } }, [
          'invalid_cursor',
        ]),
      },
    },
    async (request, reply) => sendPage(request, reply, await budgets.list(request.caller, request.query)),
  )

  app.put(
    '/v1/policies/budgets',
    {
      config: writes,
      schema: {
        ...set,
        operationId: 'putDefaultBudget',
        summary: 'Set the default budget',
        description: `${rules}The default applies to each scope that has no budget, and to the records without a scope. Needs a key with all scopes and the highest ceiling.`,
      },
    },
    (request) => budgets.replace(readCallContext(request), request.body),
  )

  app.delete(
    '/v1/policies/budgets',
    {
      config: writes,
      schema: {
        operationId: 'deleteDefaultBudget',
        tags,
        summary: 'Delete the default budget',
        description: 'Scopes without a budget are then unlimited. What was forgotten stays forgotten.',
        response: deleted,
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        await budgets.remove(call)
        return { status: 204 }
      }),
  )

  app.get(
    '/v1/policies/budgets/:scope',
    {
      config: reads,
      schema: {
        operationId: 'getBudget',
        tags,
        summary: 'Read the budget of a scope',
        description: 'Returns 404 for a scope that has no budget, also if the default applies to it.',
        params: BudgetPath,
        response: answers({ 200: { schema: ref(Budget), description: 'The budget.' } }, ['budget_not_found']),
      },
    },
    (request) => budgets.read(request.caller, request.params.scope),
  )

  app.put(
    '/v1/policies/budgets/:scope',
    {
      config: writes,
      schema: {
        ...set,
        operationId: 'putBudget',
        summary: 'Set the budget of a scope',
        description: `${rules}Needs a key with the scope and the highest ceiling.`,
        params: BudgetPath,
      },
    },
    (request) => budgets.replace(readCallContext(request), request.body, request.params.scope),
  )

  app.delete(
    '/v1/policies/budgets/:scope',
    {
      config: writes,
      schema: {
        operationId: 'deleteBudget',
        tags,
        summary: 'Delete the budget of a scope',
        description: 'The default then applies to the scope. What was forgotten stays forgotten.',
        params: BudgetPath,
        response: deleted,
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        await budgets.remove(call, request.params.scope)
        return { status: 204 }
      }),
  )
}
