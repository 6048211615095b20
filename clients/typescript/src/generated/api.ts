// Written by `npm run client` from openapi/openapi.json. Do not edit.

export interface components {
    schemas: {
        /** @description The counted use. */
        AccessReceipt: {
            /** Format: uuid */
            id: string;
            access_count: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at: string;
        };
        /** @description The salience from which a record fades, and the moment from which it fades. */
        Anchors: {
            /** @description The salience at that moment. */
            base_salience: number;
            /**
             * Format: date-time
             * @description The moment from which the record fades.
             * @example 2026-03-28T09:30:00.000Z
             */
            anchored_at: string;
        };
        AppendedMessage: components["schemas"]["StoredMessage"] | components["schemas"]["SkippedMessage"];
        AppendedMessages: {
            /** @description In the order of the request. */
            items: components["schemas"]["AppendedMessage"][];
            conversation: components["schemas"]["WrittenConversation"];
        };
        AuditEntry: {
            /**
             * @description What was done to the record.
             * @enum {string}
             */
            action: "create" | "revise" | "fork" | "merge" | "delete" | "reinforce" | "decay" | "restore" | "erase" | "status" | "promote" | "demote" | "pin" | "unpin" | "archive" | "undo";
            /** @description Who did it, as the request named it. */
            actor: string;
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2026-03-28T09:30:00.000Z
             */
            timestamp: string;
            /** @description Why. */
            rationale: string;
            /**
             * Format: uuid
             * @description The maintenance run that did it.
             */
            run_id?: string;
            /**
             * Format: uuid
             * @description The revision that did it; `POST /v1/records/{id}/revert` takes it back.
             */
            operation_id?: string;
            /** @description Maps each changed field to [before, after]. */
            changes?: {
                [key: string]: unknown[];
            };
            via?: components["schemas"]["Via"];
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor?: string;
        };
        BatchAnswer: {
            results: {
                /** @description The place of the record in the request, from 0. */
                index: number;
                /** @description The HTTP status for this record. */
                status: number;
                record?: components["schemas"]["WrittenRecord"];
                problem?: components["schemas"]["Problem"];
            }[];
        };
        /** @description How much a scope may hold. The decay job forgets the records that exceed it, those with the lowest `keeping` first. */
        Budget: {
            /** @description Absent for the default budget, which applies to scopes without a budget. */
            scope?: string;
            /** @description How many records the scope may hold. */
            max_records?: number;
            /** @description How many bytes the records of the scope may have: the approximate size as JSON, not compressed. */
            max_bytes?: number;
            /** @description Types and layers that the budget never forgets. `semantic` is both a type and a layer. */
            protect: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph" | "procedural" | "codebase")[];
            /**
             * @description `soft`: a record is not forgotten within a day of its creation or restoration, even if the budget is exceeded. `hard`: such records are forgotten as well if no others are left.
             * @default soft
             * @enum {string}
             */
            mode: "soft" | "hard";
        };
        /**
         * @description How much a scope may hold. Needs exactly one of `max_records` and `max_bytes`.
         * @example {
         *       "max_records": 100000,
         *       "protect": [
         *         "competence"
         *       ],
         *       "mode": "soft"
         *     }
         */
        BudgetChoice: {
            /** @description How many records the scope may hold. */
            max_records?: number;
            /** @description How many bytes the records of the scope may have: the approximate size as JSON, not compressed. */
            max_bytes?: number;
            /**
             * @description Types and layers that the budget never forgets. `semantic` is both a type and a layer.
             * @default []
             */
            protect?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph" | "procedural" | "codebase")[];
            /**
             * @description `soft`: a record is not forgotten within a day of its creation or restoration, even if the budget is exceeded. `hard`: such records are forgotten as well if no others are left.
             * @default soft
             * @enum {string}
             */
            mode?: "soft" | "hard";
        };
        BudgetPage: {
            items: components["schemas"]["Budget"][];
            next_cursor?: string;
        };
        BulkLifecycleAnswer: {
            results: {
                /** Format: uuid */
                id: string;
                /** @description The HTTP status for this record. */
                status: number;
                record?: components["schemas"]["WrittenRecord"];
                problem?: components["schemas"]["Problem"];
            }[];
        };
        /**
         * @example {
         *       "ids": [
         *         "0197b9a0-0000-7000-8000-000000000001"
         *       ],
         *       "amount": 0.3,
         *       "actor": "planner",
         *       "rationale": "it answered the question"
         *     }
         */
        BulkPenalty: {
            /** @description The ids of the records, without duplicates. */
            ids: string[];
            /** @description What is subtracted from the salience. */
            amount: number;
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example it answered the question
             */
            rationale: string;
        };
        /**
         * @example {
         *       "ids": [
         *         "0197b9a0-0000-7000-8000-000000000001"
         *       ],
         *       "actor": "planner",
         *       "rationale": "it answered the question"
         *     }
         */
        BulkReason: {
            /** @description The ids of the records, without duplicates. */
            ids: string[];
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example it answered the question
             */
            rationale: string;
        };
        /** @example {} */
        Cancellation: Record<string, never>;
        /**
         * @example {
         *       "primary_record": {
         *         "id": "0197b9a0-0000-7000-8000-000000000001",
         *         "version": 1
         *       },
         *       "created_records": [
         *         {
         *           "id": "0197b9a0-0000-7000-8000-000000000001",
         *           "version": 1
         *         },
         *         {
         *           "id": "0197b9a0-0000-7000-8000-000000000002",
         *           "version": 1
         *         }
         *       ],
         *       "edges": [
         *         {
         *           "source_id": "0197b9a0-0000-7000-8000-000000000002",
         *           "predicate": "derived_from",
         *           "target_id": "0197b9a0-0000-7000-8000-000000000001",
         *           "weight": 1,
         *           "created_at": "2026-03-28T09:30:00.000Z"
         *         }
         *       ],
         *       "deduplicated": false,
         *       "fact": {
         *         "outcome": "created",
         *         "record_id": "0197b9a0-0000-7000-8000-000000000002"
         *       }
         *     }
         */
        Captured: {
            primary_record: components["schemas"]["WrittenRecord"];
            /** @description All new records. The primary record is first if it is new. */
            created_records: components["schemas"]["WrittenRecord"][];
            /** @description All new relations, with their inverses. */
            edges: components["schemas"]["RelationEdge"][];
            /** @description True if the same source, scope and `content.ref` were captured before. Then nothing is stored. */
            deduplicated: boolean;
            fact?: components["schemas"]["DerivedFact"];
        };
        /** @description An action, or the id of a record. */
        ChangeSelector: ("prune" | "forget" | "promote" | "create" | "reinforce" | "revise" | "compress" | "archive" | "rescore" | "merge" | "unmerge" | "supersede" | "relate" | "candidate" | "probe_challenge" | "drift_challenge" | "drift_invalidate" | "drift_restore" | "reduce" | "purge" | "undo") | string;
        /** @description A learned procedure and how well it works. */
        CompetencePayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "competence";
            /** @description The name of the competence. */
            skill_name: string;
            /** @description When to use the competence. */
            triggers: {
                /** @description What shows that the competence fits. */
                signal: string;
                /** @description Conditions that must hold as well. */
                conditions?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The steps, in order. */
            recipe: {
                /** @description What to do. */
                step: string;
                /** @description The tool to use. */
                tool?: string;
                /** @description The arguments of the tool, as a JSON schema. */
                args_schema?: {
                    [key: string]: unknown;
                };
                /** @description How to check the result. */
                validation?: string;
            }[];
            /** @description The tools that the competence needs. */
            required_tools: string[];
            /** @description How it can fail. */
            failure_modes: string[];
            /** @description What to do if it fails. */
            fallbacks: string[];
            /** @description How well the competence worked so far. */
            performance?: {
                /** @description How many uses succeeded. */
                success_count: number;
                /** @description How many uses failed. */
                failure_count: number;
                /** @description The share of the uses that succeeded. */
                success_rate: number;
                /** @description The mean duration of a use. */
                avg_latency_ms?: number;
                /**
                 * Format: date-time
                 * @description When the competence was last used.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_used_at?: string;
            };
            /** @description The version of the competence. */
            version?: string;
        };
        /**
         * @example {
         *       "contesting_ref": "meeting-14",
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        Contest: {
            /** @description The id of the record that contradicts this one, or a reference to other evidence. */
            contesting_ref: string;
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        ContextItem: {
            /** Format: uuid */
            record_id: string;
            /**
             * @description The end of the id, unique in this answer. The text names the record as `[m:REF]`.
             * @example 9a1c2b
             */
            ref: string;
            /**
             * @description `profile`: an entity that the task names, or its profile. `fact`: a fact or another entity. `skill`: a competence. `plan`: a plan graph. `state`: a working record. `episode`: an episode or a message.
             * @enum {string}
             */
            kind: "profile" | "fact" | "skill" | "plan" | "state" | "episode";
            /** @description The estimated tokens of the line of the record. */
            tokens: number;
            /** @description Whether the line has the whole content. false if it was shortened, if a secret was masked, or if the arguments of tools, the `context` of a capture or the steps of a finished task were left out. */
            quoted: boolean;
        };
        /**
         * @example {
         *       "task_descriptor": "How do we deploy the billing service?",
         *       "max_tokens": 800
         *     }
         */
        ContextQuery: {
            /** @description The task, as a sentence. It is used as in `/v1/retrieve`. */
            task_descriptor: string;
            /**
             * @description The highest number of tokens in the text, as estimated.
             * @default 1500
             */
            max_tokens?: number;
            /**
             * @description `markdown`: headings and one line for each record, in a fenced code block that the first line opens and the last line closes. `json`: `text` is a JSON document with the members `notice`, `who`, `known`, `how`, `under_way` and `happened`; each of the last five is a list of `{record_id, date, text, disputed?, status?, conversation?}` and is left out when it is empty. `status` is that of a record which is not active.
             * @default markdown
             * @enum {string}
             */
            format?: "markdown" | "json";
            /** @description Narrows what this request can see. It cannot show more than the key can see. */
            trust?: {
                /**
                 * @description Only records up to this sensitivity are read in full.
                 * @enum {string}
                 */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. Records without a scope are found in any case. */
                scopes?: string[];
                /** @description Who reads, for the access log. Default: the name of the key. */
                actor_id?: string;
            };
            /** @description Only records of these types. */
            memory_types?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph")[];
            /**
             * @description `facts_only`: records of the kind `fact`. `facts_plus_rules`: facts and procedures. `full_context`: every kind.
             * @default full_context
             * @enum {string}
             */
            mode?: "facts_only" | "facts_plus_rules" | "full_context";
            /** @description Only records in these layers. */
            layers?: ("working" | "episodic" | "semantic" | "procedural" | "codebase")[];
            /** @description Only records of these scopes. Records without a scope are left out. */
            scopes?: string[];
            /** @description Only records with all of these tags. */
            tags?: string[];
            /** @description Only records with at least this salience, now or at `as_of`. */
            min_salience?: number;
            /** @description Only records with at least this importance. */
            min_importance?: number;
            /** @description Also records with these statuses, besides active ones. */
            include_status?: ("active" | "challenged" | "invalidated" | "merged" | "superseded")[];
            /**
             * @description Also timeboxed facts that do not hold now, or at `as_of`.
             * @default false
             */
            include_expired?: boolean;
            /**
             * Format: date-time
             * @description A past time: the answer is as it would have been then. Later records, relations and log entries are left out. Status, revision state and validity are those of that time. Salience is reconstructed from the log, or from the present anchor if the log is not enough. Everything else is as it is now. Forgotten records stay excluded.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of?: string;
            /**
             * @description The highest number of roots: records that the search itself finds. Without it, up to 40 are found if 20 leave room in the text.
             * @default 20
             */
            root_limit?: number;
            /**
             * @description The highest number of records, roots and those found over relations together.
             * @default 50
             */
            node_limit?: number;
            /**
             * @description How many relations in a row are followed from each root; 0 for none.
             * @default 0
             */
            max_hops?: number;
            /**
             * @description Whether the records in the text count as served: each at most once for each key and UTC day.
             * @default true
             */
            record_access?: boolean;
            /** @description Replaces the vector of `task_descriptor`. It must come from the serving model and have its number of dimensions. */
            query_embedding?: number[];
        };
        Conversation: {
            /**
             * @description The id of the conversation, unique in its scope.
             * @example support-4711
             */
            id: string;
            scope?: string;
            /** @description How many messages this key can see, redacted ones included. If all were forgotten, it is 0 and the times are absent. */
            messages: number;
            /**
             * Format: date-time
             * @description When the earliest message was written.
             * @example 2026-03-28T09:30:00.000Z
             */
            first_at?: string;
            /**
             * Format: date-time
             * @description When the latest message was written.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_at?: string;
            /** @description The names of the writers, or their roles where there is no name: at most 100, those with the most messages first. */
            speakers: {
                name: string;
                messages: number;
            }[];
            /**
             * Format: date-time
             * @description When the last message was added. An imported message counts with its own time.
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at?: string;
        };
        /**
         * @example {
         *       "actor": "privacy-team",
         *       "rationale": "asked by the customer"
         *     }
         */
        ConversationErasure: {
            /** @description The scope of the conversation. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /**
             * @description true: the conversation without a scope, for a key that is bound to scopes.
             * @default false
             */
            unscoped?: boolean;
            /** @description Who makes the change, for the audit log. */
            actor: string;
            /** @description Stays in the audit log. Give the reason, and do not repeat the content. */
            rationale: string;
            /**
             * @description false keeps the records that were derived from this record alone. Needs the permission admin.
             * @default true
             */
            cascade?: boolean;
            /** @description Erases the record even if its deletion policy is `never`. Needs the permission admin. If a derived record has that policy and this key may not change it, the erase is refused with 409. */
            force?: boolean;
            /** @description The `next_cursor` of the previous answer: continues after its messages, those that were kept included. */
            cursor?: string;
        };
        ConversationMessage: {
            /** @description The id of the message, unique in the conversation. */
            message_id: string;
            /** Format: uuid */
            record_id: string;
            role: string;
            name?: string;
            /** @description The text of the message, empty if it only calls tools. For a captured event its summary, or the captured text if it has no summary. */
            content: string;
            /** @description The calls of tools in the message, with their `args`, their `result`, or both. */
            tool_calls?: {
                /** @description The id of the call in this graph. */
                id: string;
                /** @description The name of the tool. */
                tool: string;
                /** @description The arguments of the call. */
                args?: unknown;
                /** @description The result of the call. */
                result?: unknown;
                /**
                 * Format: date-time
                 * @description When the tool was called.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
                /** @description The ids of the calls on which this call depends. */
                depends_on?: string[];
            }[];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            at: string;
            /** @description The place in the conversation: later messages have higher numbers, with gaps. Negative before 1970. */
            position: number;
            metadata?: {
                [key: string]: unknown;
            };
        };
        ConversationPage: {
            items: components["schemas"]["Conversation"][];
            next_cursor?: string;
        };
        /** @description The response to a write with a key without the permission records:read. */
        ConversationReceipt: {
            /**
             * @description The id of the conversation, unique in its scope.
             * @example support-4711
             */
            id: string;
            scope?: string;
        };
        /** @description The tenant and its first admin key. */
        CreatedTenant: {
            id: string;
            /**
             * @description `creating`: the creation on a server of its own is not finished; repeat the POST if you got no answer. `active`: it can be used. `suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if you got no answer.
             * @enum {string}
             */
            status: "creating" | "active" | "suspended" | "dropping";
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The PostgreSQL schema with the data of the tenant, for `pg_dump` and similar tools. */
            schema: string;
            /** @description `false`: the schema lacks migrations of this version, and every request to the tenant gets 503 `not_ready`. Workers migrate an active tenant within a minute; if they cannot, their log says why. `npm run migrate` also migrates a suspended one. */
            migrated: boolean;
            /** @description The database of the tenant, if it is on a server of its own. Absent for the main database. User and password are never shown. */
            database?: {
                /** @example db-7.example */
                host: string;
                /** @example 5432 */
                port: number;
                /** @example acme */
                name: string;
            };
            key: components["schemas"]["IssuedKey"];
        };
        /** @description How the salience of a record falls, and how it rises again. */
        Decay: {
            /**
             * @description How the salience falls. `exponential`, and `custom` in the same way: by half in each half-life. `linear`: to 0 in one half-life. `huber`: exponential for half a half-life, then a straight line. `elastic`: 30% straight to 0 in two half-lives, the rest exponential.
             * @enum {string}
             */
            curve: "exponential" | "linear" | "custom" | "huber" | "elastic";
            /** @description Seconds after which half of the salience is left on the exponential curve. */
            half_life_seconds: number;
            /** @description The floor: fading and penalties do not lower the salience below it. */
            min_salience: number;
            /** @description Seconds from the creation after which the salience is 0; 0 means no maximum age. */
            max_age_seconds: number;
            /** @description What each reinforcement adds to the salience. */
            reinforcement_gain: number;
            /** @description The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience. */
            max_salience: number | null;
        };
        /**
         * @example {
         *       "outcome": "contested",
         *       "policy": "contest",
         *       "record_id": "0197b9a0-0000-7000-8000-000000000001"
         *     }
         */
        DerivedFact: {
            /**
             * @description `created`: a new record. `confirmed`: a record already states the fact for the time and conditions of this one. `replaced`, `forked`, `contested`: a record stated another object, or denied the fact, as `does not prefer` denies `prefers`, and the revision policy of that record was applied. `challenged`: the fact was withdrawn earlier, and the new record waits for review. `erased`: the fact was erased earlier and is not stored.
             * @enum {string}
             */
            outcome: "created" | "confirmed" | "replaced" | "forked" | "contested" | "challenged" | "erased";
            /**
             * @description The revision policy of the existing fact.
             * @enum {string}
             */
            policy?: "replace" | "fork" | "contest";
            /**
             * Format: uuid
             * @description The record that states the fact now.
             */
            record_id?: string;
            /**
             * Format: uuid
             * @description The existing record with another object, or that denies the fact.
             */
            other_id?: string;
        };
        DriftItem: {
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            kind: "path" | "symbol" | "script";
            /** @description The path, symbol or script as the record writes it. */
            reference: string;
            /** @description Whether the reference exists. Absent if it could not be checked. */
            found?: boolean;
        };
        /** @example {} */
        DriftQuery: {
            /** @description Only records of this scope. */
            scope?: string;
        };
        /**
         * @example {
         *       "checked": 12,
         *       "found": 19,
         *       "missing": 1,
         *       "unknown": 0,
         *       "score": 95,
         *       "complete": true,
         *       "items": [
         *         {
         *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *           "kind": "path",
         *           "reference": "src/server.ts",
         *           "found": false
         *         }
         *       ]
         *     }
         */
        DriftReport: {
            /** @description Number of records with at least one reference. */
            checked: number;
            /** @description Number of references that exist. */
            found: number;
            /** @description Number of references that do not exist. */
            missing: number;
            /** @description Number of references that could not be checked. */
            unknown: number;
            /** @description The percentage of found references among found and missing ones; 100 if there are none. */
            score: number;
            /** @description false if there are more records than one request checks (10,000). */
            complete: boolean;
            /** @description Missing references first, then unknown ones, then found ones. Empty for a key without `records:read`. */
            items: components["schemas"]["DriftItem"][];
        };
        /**
         * @example {
         *       "source_ids": [
         *         "0197b9a0-0000-7000-8000-000000000002"
         *       ],
         *       "actor": "curator",
         *       "rationale": "one project under two names"
         *     }
         */
        EntityMerge: {
            /** @description The duplicates: entities that are the same thing under other names. */
            source_ids: string[];
            /**
             * @description Who makes the change, for the audit log.
             * @example curator
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example one project under two names
             */
            rationale: string;
        };
        EntityPage: {
            items: components["schemas"]["Record"][];
            next_cursor?: string;
        };
        /** @description A named thing. Any type is allowed; built-in types are Person, Organization, Agent, Project, Repository, File, Symbol, API, Service, Database, Tool, Task, Incident, Document, URL, Concept, Event, Other. */
        EntityPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "entity";
            /** @description The name of the thing. */
            canonical_name: string;
            /** @description The main type of the thing. */
            primary_type: string;
            /** @description All types of the thing. */
            types: string[];
            /** @description Other names of the thing. */
            aliases: {
                /** @description The name. */
                value: string;
                /** @description What kind of name it is. */
                kind?: string;
                /** @description The language of the name. */
                locale?: string;
            }[];
            /** @description Ids of the thing elsewhere. Within one scope and sensitivity only one entity has an identifier. */
            identifiers: {
                /** @description Who gives the identifier, such as `github`. */
                namespace: string;
                /** @description The identifier. */
                value: string;
            }[];
            /** @description What the thing is, in words. */
            summary?: string;
        };
        EntityRecord: {
            /** Format: uuid */
            id: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the record in full.
             * @enum {string}
             */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. */
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            /** @description Absent for a record without a scope, which every key may read. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags: string[];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the record last changed.
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at: string;
            /** @description Rises with each change; the ETag contains it. */
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description The newest 50 entries, oldest first, without those with very long `changes`: `/v1/records/{id}/audit` lists all. */
            audit_log: components["schemas"]["AuditEntry"][];
            /**
             * @description The layer of memory in which the record is.
             * @enum {string}
             */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description What kind of memory it is.
             * @enum {string}
             */
            memory_kind: "fact" | "procedure" | "narrative";
            /**
             * @description `active`: valid. `challenged`: in doubt. `invalidated`, `merged` and `superseded`: history.
             * @enum {string}
             */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @description The stored importance; `/explain` shows the present one with its parts. */
            importance: number;
            /** @description The worth of the content, whether it is used or not. */
            base_importance: number;
            /** @description How often the record was used or served. */
            access_count: number;
            /**
             * Format: date-time
             * @description When the record was last used or served.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /**
             * @description Who or what the content comes from: a less trusted source counts less.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description From -1 (bad) to 1 (good). Both raise the importance. */
            emotional_valence: number;
            /** @description How often other sources confirmed the record. */
            confirmation_count: number;
            /** @description Present while the record is forgotten. */
            forgotten?: {
                /**
                 * Format: date-time
                 * @description When it was forgotten.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description Why: `pruned`, `archived`, `budget` or `deleted`. */
                reason: string;
                /** @description Who forgot it. */
                actor: string;
                /**
                 * Format: uuid
                 * @description The run that forgot it.
                 */
                run_id?: string;
                /**
                 * Format: date-time
                 * @description Until when it can be restored.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            /**
             * Format: uuid
             * @description The id of the record with the profile of this entity.
             */
            peer_card_id?: string;
        };
        /** @description Raw experience as time-ordered evidence. Only its outcome can change. */
        EpisodicPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "episodic";
            /** @description The place of a message in its conversation. */
            conversation?: {
                /** @description The id of the conversation, unique in its scope. */
                id: string;
                /** @description The id of the message, unique in the conversation. */
                message_id: string;
                /** @description The place in the conversation: later messages have higher numbers, with gaps. */
                position?: number;
                /**
                 * Format: date-time
                 * @description When the message was written. It decides the order of the messages.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description The role of the writer. */
                role: string;
                /** @description The name of the writer. */
                name?: string;
                /** @description Stored, but not searched. */
                metadata?: {
                    [key: string]: unknown;
                };
            };
            /** @description The events of the episode. */
            timeline: {
                /**
                 * Format: date-time
                 * @description When the event happened.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                t: string;
                /** @description What kind of event it is, such as `message`. */
                event_kind: string;
                /** @description A reference to the source of the event. */
                ref: string;
                /** @description The event in words. */
                summary?: string;
            }[];
            /** @description The tool calls of the episode. */
            tool_graph: {
                /** @description The id of the call in this graph. */
                id: string;
                /** @description The name of the tool. */
                tool: string;
                /** @description The arguments of the call. */
                args?: unknown;
                /** @description The result of the call. */
                result?: unknown;
                /**
                 * Format: date-time
                 * @description When the tool was called.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
                /** @description The ids of the calls on which this call depends. */
                depends_on?: string[];
            }[];
            /** @description Where the episode happened. */
            environment?: {
                /** @description The operating system. */
                os?: string;
                /** @description The version of the operating system. */
                os_version?: string;
                /** @description The versions of tools, by name. */
                tool_versions?: {
                    [key: string]: string;
                };
                /** @description The directory in which it happened. */
                working_directory?: string;
                /** @description Any other circumstances. */
                context?: {
                    [key: string]: unknown;
                };
            };
            /**
             * @description How the episode ended.
             * @enum {string}
             */
            outcome?: "success" | "failure" | "partial";
            /** @description References to what was produced, such as files. */
            artifacts: string[];
            /** @description A reference to a tool graph that is stored elsewhere. */
            tool_graph_ref?: string;
        };
        ErasedMessages: {
            results: {
                /** Format: uuid */
                id: string;
                /** @description The HTTP status for this message. */
                status: number;
                receipt?: components["schemas"]["ErasureReceipt"];
                problem?: components["schemas"]["Problem"];
            }[];
            /** @description Present if there are more messages: send the request again with this as `cursor`. */
            next_cursor?: string;
        };
        /**
         * @example {
         *       "actor": "privacy-desk",
         *       "rationale": "request 4711 of the person concerned"
         *     }
         */
        Erasure: {
            /** @description Who makes the change, for the audit log. */
            actor: string;
            /** @description Stays in the audit log. Give the reason, and do not repeat the content. */
            rationale: string;
            /**
             * @description false keeps the records that were derived from this record alone. Needs the permission admin.
             * @default true
             */
            cascade?: boolean;
            /** @description Erases the record even if its deletion policy is `never`. Needs the permission admin. If a derived record has that policy and this key may not change it, the erase is refused with 409. */
            force?: boolean;
        };
        ErasureReceipt: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            erased_at: string;
            actor: string;
            via?: components["schemas"]["Via"];
            /** @description What was removed, counted over the records that the key could read in full. */
            removed: {
                /** @description How many records: this one and those derived from it alone. */
                records: number;
                /** @description How many relations. A relation with an inverse counts as two. */
                relations: number;
                /** @description How many vectors. */
                embeddings: number;
                /** @description How many logged accesses. */
                access_rows: number;
            };
            /** @description The records that are erased too, because all records that they were made from are erased. */
            derived_ids: string[];
            /** @description The records that have other sources as well. They stay, without the evidence, sources and words of the erased records. */
            kept: string[];
            /** @description Ids of the tombstones that this key could list with `admin`. Empty if the same content was erased before from a record that is hidden from the key. */
            tombstone_ids: string[];
        };
        /** @description Every number that decides what happens to a record, without any of its content. */
        Explanation: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "live" | "forgotten" | "erased" | "purged";
            salience: {
                value: number;
                base_salience: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                anchored_at: string;
                elapsed_seconds: number;
                /** @enum {string} */
                curve: "exponential" | "linear" | "custom" | "huber" | "elastic";
                half_life_seconds: number;
                /** @description The share of `base_salience` that the curve leaves. */
                factor: number;
                floor: number;
                /** @description The highest salience that reinforcement reaches; null for no cap. */
                cap: number | null;
                /**
                 * @description The rule that gives the value.
                 * @enum {string}
                 */
                rule: "pinned" | "max_age" | "floor" | "curve" | "revision";
            };
            importance: {
                value: number;
                base_importance: number;
                factors: {
                    base: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    access: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    recency: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    valence: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    stability: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    layer: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    trust: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    confirmations: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                    activation: {
                        value: number;
                        weight: number;
                        contribution: number;
                    };
                };
            };
            retention: {
                /** @description The retention score: how well the record is kept since its last use. */
                value: number;
                /**
                 * @description The curve of the score.
                 * @enum {string}
                 */
                mode: "l2" | "huber" | "elastic";
                /** @description Shorter for a less trusted source; null for layers that never fade. */
                half_life_days: number | null;
                days_since_access: number;
                base: number;
                bonus: number;
            };
            /** @description How the base importance was estimated from the content. The value rises with the sum of the contributions. Absent if the client sent an importance, and for purged and erased records. */
            worth?: {
                /** @description The base importance as it was judged. Surprise can change it afterwards. */
                value: number;
                parts: {
                    /** @enum {string} */
                    name: "basis" | "information" | "novelty" | "figures" | "times" | "names" | "identifiers" | "people" | "first_person" | "answer" | "question" | "greeting" | "decision" | "preference" | "correction" | "outcome" | "role" | "machine" | "distilled" | "detail" | "advice" | "request" | "wish" | "repeated";
                    value: number;
                    weight: number;
                    /** @description `value × weight`. */
                    contribution: number;
                }[];
                /** @description Whether the weights were fitted to the uses of this store. */
                learned: boolean;
            };
            /** @description What decides which records a budget keeps: ((importance + 3 × base_importance) / 4 + 0.4 × used) × salience^(1/32), where `used` is min(1, ln(1 + uses) / ln(6)) × min(1, salience). The records with the lowest value are forgotten first. `importance` is the stored one, which a job refreshes. */
            keeping: {
                value: number;
                importance: number;
                base_importance: number;
                /** @description Accesses that were reported, such as reinforcements. That an answer had the record does not count. */
                uses: number;
                salience: number;
            };
            /** @description How new the record was when its first vector was stored. Absent before that, and for purged and erased records. */
            surprise?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description 0: repeats what was known; 1: unlike anything known. */
                score: number;
                /** @description The change of the base importance, which stays between 0.05 and 1. 0 for a record that was pinned. */
                delta: number;
                base_before: number;
                /** @description Up to five nearest records that still exist and that the key can read in full. */
                neighbours: {
                    /** Format: uuid */
                    id: string;
                    similarity: number;
                }[];
                /** Format: uuid */
                duplicate_of?: string;
            };
            /** @description When the record is due for pruning; null for never. */
            prune_at: string | null;
            removal?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                reason: string;
                /** @enum {string} */
                rule: "pinned" | "max_age" | "floor" | "curve" | "revision" | "deletion" | "archival" | "erasure" | "budget";
                actor: string;
                run_id: string | null;
                /** @description The values at the moment of the removal. */
                numbers: {
                    salience: number;
                    base_salience: number;
                    elapsed_seconds: number;
                    factor: number;
                    floor: number;
                    /** @description Only for a record that a budget has forgotten. */
                    keeping?: number;
                    /** @description Only for an archived record. Archival needs less than 0.15. */
                    retention?: number;
                    /** @description Only for an archived record. Archival needs less than 0.3. */
                    importance?: number;
                    /** @description Only for an archived record. Archival needs less than 3. */
                    accesses?: number;
                    /** @description Only for an archived record: its age by `created_at`. Archival needs more than 90. */
                    age_days?: number;
                };
                restore: {
                    possible: boolean;
                    /**
                     * Format: date-time
                     * @example 2026-03-28T09:30:00.000Z
                     */
                    until?: string;
                    call?: string;
                    salience?: number;
                };
            };
        };
        /** @description One line of an export. */
        ExportedRecord: {
            /** Format: uuid */
            id: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the record in full.
             * @enum {string}
             */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. */
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            /** @description Absent for a record without a scope, which every key may read. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags: string[];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the record last changed.
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at: string;
            /** @description Rises with each change; the ETag contains it. */
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first. At most 1,000 inverse relations are included: the record at the other end has them as well. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description All entries, oldest first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /**
             * @description The layer of memory in which the record is.
             * @enum {string}
             */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description What kind of memory it is.
             * @enum {string}
             */
            memory_kind: "fact" | "procedure" | "narrative";
            /**
             * @description `active`: valid. `challenged`: in doubt. `invalidated`, `merged` and `superseded`: history.
             * @enum {string}
             */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @description The stored importance; `/explain` shows the present one with its parts. */
            importance: number;
            /** @description The worth of the content, whether it is used or not. */
            base_importance: number;
            /** @description How often the record was used or served. */
            access_count: number;
            /**
             * Format: date-time
             * @description When the record was last used or served.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /**
             * @description Who or what the content comes from: a less trusted source counts less.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description From -1 (bad) to 1 (good). Both raise the importance. */
            emotional_valence: number;
            /** @description How often other sources confirmed the record. */
            confirmation_count: number;
            /** @description Present while the record is forgotten. */
            forgotten?: {
                /**
                 * Format: date-time
                 * @description When it was forgotten.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description Why: `pruned`, `archived`, `budget` or `deleted`. */
                reason: string;
                /** @description Who forgot it. */
                actor: string;
                /**
                 * Format: uuid
                 * @description The run that forgot it.
                 */
                run_id?: string;
                /**
                 * Format: date-time
                 * @description Until when it can be restored.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            anchors: components["schemas"]["Anchors"];
            /** @description The changes of the status, oldest first. */
            status_history: {
                /**
                 * @description The status before.
                 * @enum {string}
                 */
                old: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /**
                 * @description The status after.
                 * @enum {string}
                 */
                new: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /** @description Who changed it. */
                actor: string;
                /**
                 * Format: date-time
                 * @description When it changed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** @description Why. Empty for an erased record. */
                reason: string;
                /** @description What changed it: `manual` for a request, otherwise the operation of the service. */
                step: string;
                /**
                 * Format: uuid
                 * @description The run that made the change.
                 */
                run_id?: string;
                via?: components["schemas"]["Via"];
            }[];
            /** @description The names by which the record is found, as digests. */
            handles: {
                /**
                 * @description The digest of the name.
                 * @example 00112233445566778899aabbccddeeff
                 */
                digest: string;
                /**
                 * @description The digest of what distinguishes records of one name, such as the object of a fact.
                 * @example 00112233445566778899aabbccddeeff
                 */
                detail?: string;
                /** @description The order among records of one name. */
                place?: number;
            }[];
            /** @description The records from which the service made this one. An erase follows them. */
            descent?: {
                /**
                 * Format: uuid
                 * @description The record from which this one was made.
                 */
                source_id: string;
                /**
                 * @description The operation that made it.
                 * @enum {string}
                 */
                kind: "capture" | "confirm" | "mention" | "consolidation" | "dream" | "supersede" | "fork" | "merge" | "fold" | "inherited" | "claim" | "contest";
                /** @description true: this record is erased when all its sources with `is_ground: true` are erased. */
                is_ground: boolean;
            }[];
            /** @description How often the record was part of an answer. */
            served_count?: number;
            /**
             * Format: date-time
             * @description When the record was last demoted.
             * @example 2026-03-28T09:30:00.000Z
             */
            demoted_at?: string;
            /** @description The changes of the importance, oldest first. */
            importance_history?: {
                /** @description The importance before. */
                old: number;
                /** @description The importance after. */
                new: number;
                /**
                 * Format: date-time
                 * @description When it changed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /**
                 * Format: uuid
                 * @description The run that made the change.
                 */
                run_id?: string;
            }[];
            /** @description The newest 1,000 accesses, oldest first. */
            access_log?: {
                /**
                 * Format: date-time
                 * @description When.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /**
                 * @description `served`: part of an answer. `used`: reported as used.
                 * @enum {string}
                 */
                kind: "served" | "used";
                /** @description Who accessed the record. */
                actor: string;
                /** @description The key to which the record was served. */
                key_id?: string;
            }[];
            /** @description The number of days with accesses before those in `access_log`. */
            access_days?: number;
            /** @description The estimate behind the base importance, as the service stores it. Empty if the client sent an importance. */
            worth?: string;
            /** @description How new the record was when its first vector was stored. */
            surprise?: {
                /**
                 * Format: date-time
                 * @description When the vectors were compared.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description 0: repeats what was known; 1: unlike anything known. */
                score: number;
                /** @description The change of the base importance. */
                delta: number;
                /** @description The base importance before the change. */
                base_before: number;
                /** @description The nearest records at that time. */
                neighbours: {
                    /**
                     * Format: uuid
                     * @description The id of the neighbour.
                     */
                    id: string;
                    /** @description The cosine of the two vectors. */
                    similarity: number;
                }[];
                /**
                 * Format: uuid
                 * @description The record that says the same.
                 */
                duplicate_of?: string;
            };
            /** @description The identifiers of an entity that no other entity has taken. */
            identifiers?: {
                /** @description Who gives the identifier. */
                namespace: string;
                /** @description The identifier. */
                value: string;
            }[];
            /** @description How far the episode is consolidated. */
            consolidation?: {
                /** @description The stages that have not read the episode yet. */
                due: ("episodic" | "semantic" | "extraction" | "competence" | "plan_graph")[];
                /** @description The groups in which the episode was counted. */
                tallies: {
                    /**
                     * @description A stage of consolidation.
                     * @enum {string}
                     */
                    stage: "episodic" | "semantic" | "extraction" | "competence" | "plan_graph";
                    /** @description The outcome that was counted. */
                    outcome: string;
                    /**
                     * @description The digest of the group in which it was counted.
                     * @example 00112233445566778899aabbccddeeff
                     */
                    digest: string;
                    /** @description The scope of the group. */
                    scope: string;
                }[];
            };
            /** @description The vectors of the record, one for each model. */
            embeddings?: {
                /** @description The provider of the embedding model. */
                provider: string;
                /** @description The name of the embedding model. */
                model: string;
                /** @description The length of the vector. */
                dimensions: number;
                /**
                 * @description The bits of each number in `code`.
                 * @enum {integer}
                 */
                bits: 2 | 4 | 8 | 32;
                /**
                 * Format: date-time
                 * @description When the vector was made.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                embedded_at: string;
                /**
                 * @description The vector, in base64.
                 * @example AAAA
                 */
                code: string;
                /**
                 * @description The signature by which the vector is searched, in base64.
                 * @example AAAA
                 */
                signature: string;
            }[];
        };
        /**
         * @example {
         *       "pointer": "/payload/kind",
         *       "message": "is required"
         *     }
         */
        Fault: {
            /** @description JSON pointer into the body, or `?name` for a query parameter. */
            pointer: string;
            /** @description What is wrong there. */
            message: string;
        };
        /** @description Salience over time, if the record is neither used nor changed. */
        Forecast: {
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of: string;
            salience: number;
            points: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                salience: number;
            }[];
            crossings: {
                /** @description When half of the present salience is left; null for never. */
                half: string | null;
                /** @description When the salience falls below 0.1, which may be in the past; null for never. */
                below_0_1: string | null;
                /** @description When the record is due for pruning; null for never. */
                pruned: string | null;
            };
        };
        /**
         * @description A file of another program, in the form of `format`.
         * @example {
         *       "results": [
         *         {
         *           "id": "7",
         *           "memory": "Prefers tea",
         *           "user_id": "ada",
         *           "created_at": "2026-03-28T09:30:00Z"
         *         }
         *       ]
         *     }
         */
        ForeignFile: {
            [key: string]: unknown;
        } | unknown[];
        ForgottenMessages: {
            results: {
                /** Format: uuid */
                id: string;
                /** @description The HTTP status for this message. */
                status: number;
                record?: components["schemas"]["WrittenRecord"];
                problem?: components["schemas"]["Problem"];
            }[];
            /** @description Present if there are more messages: send the request again with this as `cursor`. */
            next_cursor?: string;
        };
        GivenMessage: components["schemas"]["NewMessage"] | components["schemas"]["TypedMessage"] | components["schemas"]["ModelMessage"];
        /** @description The import ended early. */
        ImportFailure: {
            problem: components["schemas"]["Problem"];
        };
        /**
         * @description One line of the report. The last line is a summary, or the problem that ended the import.
         * @example {
         *       "line": 1,
         *       "id": "0197b9a0-0000-7000-8000-000000000001",
         *       "status": "created"
         *     }
         */
        ImportReport: components["schemas"]["ImportedLine"] | components["schemas"]["ImportSummary"] | components["schemas"]["ImportFailure"];
        /** @description The last line of an import that was read to its end. */
        ImportSummary: {
            summary: {
                created: number;
                unchanged: number;
                conflict: number;
                invalid: number;
            };
            /** @enum {string} */
            format?: "mem0" | "mcp-memory" | "chatgpt" | "claude" | "claude-code" | "codex" | "letta" | "langgraph" | "openmemory" | "graphiti" | "hindsight" | "basic-memory" | "zep" | "texts";
            dry_run?: boolean;
            /** @description The position of the import: send it as the header `Membrane-Position` of a read. */
            position?: string;
            /** @description After a dry run: up to 5 records as they would be stored. */
            sample?: components["schemas"]["WrittenRecord"][];
            /** @description Relations that were not stored, because their targets are not in the file. The first 100 are listed. */
            loose_relations?: {
                count: number;
                first: {
                    /** Format: uuid */
                    source_id: string;
                    predicate: string;
                    /** Format: uuid */
                    target_id: string;
                }[];
            };
        };
        ImportanceHistory: {
            items: components["schemas"]["ImportanceMove"][];
            next_cursor?: string;
        };
        ImportanceMove: {
            /** @description The importance before. */
            old: number;
            /** @description The importance after. */
            new: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            changed_at: string;
            /**
             * Format: uuid
             * @description The run that changed the importance. Absent if a use or a change of the record did.
             */
            run_id?: string;
        };
        /** @description The result of one line. */
        ImportedLine: {
            /** @description The number of the line in the request, from 1. */
            line: number;
            /** Format: uuid */
            id?: string;
            /** @enum {string} */
            status: "created" | "unchanged" | "conflict" | "invalid";
            problem?: components["schemas"]["Problem"];
        };
        /**
         * @description One line of an import: a record in the form of `POST /v1/records`, or a line of an export.
         * @example {
         *       "type": "semantic",
         *       "payload": {
         *         "kind": "semantic",
         *         "subject": "user",
         *         "predicate": "prefers_language",
         *         "object": "Go"
         *       }
         *     }
         */
        ImportedRecord: {
            /**
             * Format: uuid
             * @description Any UUID except the nil UUID. The service generates one if it is absent.
             */
            id?: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).
             * @enum {string}
             */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. Default 1. */
            confidence?: number;
            /** @description The salience from which the record fades. Default 1. */
            salience?: number;
            /** @description The scope of the record. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags?: string[];
            /**
             * Format: date-time
             * @description When the record was first stored, if it comes from elsewhere. When something happened is in the payload: `t` of an event, `timestamp` of evidence. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
            lifecycle?: components["schemas"]["NewLifecycle"];
            provenance?: components["schemas"]["Provenance"];
            /** @description Relations from the record to others. Targets may be records of later lines. */
            relations?: {
                /** @description How the source is related to the target, such as `supports`. */
                predicate: string;
                /**
                 * Format: uuid
                 * @description The id of the record at the other end.
                 */
                target_id: string;
                /** @description How strong the relation is. Default 1. */
                weight?: number;
                /**
                 * Format: date-time
                 * @description When it was made. Default: now.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                created_at?: string;
            }[];
            payload: components["schemas"]["NewPayload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description What the content is worth. Default: judged from the content; `/explain` shows how. */
            base_importance?: number;
            /** @description From -1 (bad) to 1 (good). Both raise the importance. Default 0. */
            emotional_valence?: number;
            /**
             * @description The layer of memory. Default by type: `working`, `episodic`, `semantic` (also for entities) or `procedural`.
             * @enum {string}
             */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description What kind of memory it is; `mode` of a retrieval selects by it. Default by type: `fact` for semantic and entity, `procedure` for competence and plan_graph, `narrative` for episodic and working.
             * @enum {string}
             */
            memory_kind?: "fact" | "procedure" | "narrative";
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /**
             * Format: date-time
             * @description When the record last changed.
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at?: string;
            /** @description The version of the record. */
            version?: number;
            /** @description All entries, oldest first. */
            audit_log?: components["schemas"]["AuditEntry"][];
            /**
             * @description `active`: valid. `challenged`: in doubt. `invalidated`, `merged` and `superseded`: history.
             * @enum {string}
             */
            status?: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @description The stored importance; `/explain` shows the present one with its parts. */
            importance?: number;
            /** @description How often the record was used or served. */
            access_count?: number;
            /**
             * Format: date-time
             * @description When the record was last used or served.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /** @description How often other sources confirmed the record. */
            confirmation_count?: number;
            /** @description Present while the record is forgotten. */
            forgotten?: {
                /**
                 * Format: date-time
                 * @description When it was forgotten.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description Why: `pruned`, `archived`, `budget` or `deleted`. */
                reason: string;
                /** @description Who forgot it. */
                actor: string;
                /**
                 * Format: uuid
                 * @description The run that forgot it.
                 */
                run_id?: string;
                /**
                 * Format: date-time
                 * @description Until when it can be restored.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            anchors?: components["schemas"]["Anchors"];
            /** @description The changes of the status, oldest first. */
            status_history?: {
                /**
                 * @description The status before.
                 * @enum {string}
                 */
                old: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /**
                 * @description The status after.
                 * @enum {string}
                 */
                new: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /** @description Who changed it. */
                actor: string;
                /**
                 * Format: date-time
                 * @description When it changed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** @description Why. Empty for an erased record. */
                reason: string;
                /** @description What changed it: `manual` for a request, otherwise the operation of the service. */
                step: string;
                /**
                 * Format: uuid
                 * @description The run that made the change.
                 */
                run_id?: string;
                via?: components["schemas"]["Via"];
            }[];
            /** @description The names by which the record is found, as digests. */
            handles?: {
                /**
                 * @description The digest of the name.
                 * @example 00112233445566778899aabbccddeeff
                 */
                digest: string;
                /**
                 * @description The digest of what distinguishes records of one name, such as the object of a fact.
                 * @example 00112233445566778899aabbccddeeff
                 */
                detail?: string;
                /** @description The order among records of one name. */
                place?: number;
            }[];
            /** @description The records from which the service made this one. An erase follows them. */
            descent?: {
                /**
                 * Format: uuid
                 * @description The record from which this one was made.
                 */
                source_id: string;
                /**
                 * @description The operation that made it.
                 * @enum {string}
                 */
                kind: "capture" | "confirm" | "mention" | "consolidation" | "dream" | "supersede" | "fork" | "merge" | "fold" | "inherited" | "claim" | "contest";
                /** @description true: this record is erased when all its sources with `is_ground: true` are erased. */
                is_ground: boolean;
            }[];
            /** @description How often the record was part of an answer. */
            served_count?: number;
            /**
             * Format: date-time
             * @description When the record was last demoted.
             * @example 2026-03-28T09:30:00.000Z
             */
            demoted_at?: string;
            /** @description The changes of the importance, oldest first. */
            importance_history?: {
                /** @description The importance before. */
                old: number;
                /** @description The importance after. */
                new: number;
                /**
                 * Format: date-time
                 * @description When it changed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /**
                 * Format: uuid
                 * @description The run that made the change.
                 */
                run_id?: string;
            }[];
            /** @description The newest 1,000 accesses, oldest first. */
            access_log?: {
                /**
                 * Format: date-time
                 * @description When.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /**
                 * @description `served`: part of an answer. `used`: reported as used.
                 * @enum {string}
                 */
                kind: "served" | "used";
                /** @description Who accessed the record. */
                actor: string;
                /** @description The key to which the record was served. */
                key_id?: string;
            }[];
            /** @description The number of days with accesses before those in `access_log`. */
            access_days?: number;
            /** @description The estimate behind the base importance, as the service stores it. Empty if the client sent an importance. */
            worth?: string;
            /** @description How new the record was when its first vector was stored. */
            surprise?: {
                /**
                 * Format: date-time
                 * @description When the vectors were compared.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description 0: repeats what was known; 1: unlike anything known. */
                score: number;
                /** @description The change of the base importance. */
                delta: number;
                /** @description The base importance before the change. */
                base_before: number;
                /** @description The nearest records at that time. */
                neighbours: {
                    /**
                     * Format: uuid
                     * @description The id of the neighbour.
                     */
                    id: string;
                    /** @description The cosine of the two vectors. */
                    similarity: number;
                }[];
                /**
                 * Format: uuid
                 * @description The record that says the same.
                 */
                duplicate_of?: string;
            };
            /** @description The identifiers of an entity that no other entity has taken. */
            identifiers?: {
                /** @description Who gives the identifier. */
                namespace: string;
                /** @description The identifier. */
                value: string;
            }[];
            /** @description How far the episode is consolidated. */
            consolidation?: {
                /** @description The stages that have not read the episode yet. */
                due: ("episodic" | "semantic" | "extraction" | "competence" | "plan_graph")[];
                /** @description The groups in which the episode was counted. */
                tallies: {
                    /**
                     * @description A stage of consolidation.
                     * @enum {string}
                     */
                    stage: "episodic" | "semantic" | "extraction" | "competence" | "plan_graph";
                    /** @description The outcome that was counted. */
                    outcome: string;
                    /**
                     * @description The digest of the group in which it was counted.
                     * @example 00112233445566778899aabbccddeeff
                     */
                    digest: string;
                    /** @description The scope of the group. */
                    scope: string;
                }[];
            };
            /** @description The vectors of the record, one for each model. */
            embeddings?: {
                /** @description The provider of the embedding model. */
                provider: string;
                /** @description The name of the embedding model. */
                model: string;
                /** @description The length of the vector. */
                dimensions: number;
                /**
                 * @description The bits of each number in `code`.
                 * @enum {integer}
                 */
                bits: 2 | 4 | 8 | 32;
                /**
                 * Format: date-time
                 * @description When the vector was made.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                embedded_at: string;
                /**
                 * @description The vector, in base64.
                 * @example AAAA
                 */
                code: string;
                /**
                 * @description The signature by which the vector is searched, in base64.
                 * @example AAAA
                 */
                signature: string;
            }[];
        };
        /** @description What the content is about, as found by rules or a model. It is stored as it is given. */
        Interpretation: {
            /**
             * @description `resolved`: the target of every mention and candidate is known. `tentative`: not yet.
             * @enum {string}
             */
            status: "tentative" | "resolved";
            /** @description The content in one sentence. */
            summary: string;
            /**
             * @description The record type that fits the content.
             * @enum {string}
             */
            proposed_type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @description The topics of the content. */
            topical_labels: string[];
            /** @description The entities that the content names. */
            mentions: {
                /** @description The name as it is written in the content. */
                surface: string;
                /** @description The type of the entity, such as `Person`. */
                entity_kind: string;
                /**
                 * Format: uuid
                 * @description The entity that is meant, once it is known.
                 */
                canonical_entity_id?: string;
                /** @description How certain the mention is. */
                confidence: number;
                /** @description Other names of it in the content. */
                aliases: string[];
            }[];
            /** @description Relations that the content suggests. */
            relation_candidates: {
                /** @description How the record is related to the target. */
                predicate: string;
                /**
                 * Format: uuid
                 * @description The record that is meant, once it is known.
                 */
                target_record_id?: string;
                /**
                 * Format: uuid
                 * @description The entity that is meant, once it is known.
                 */
                target_entity_id?: string;
                /** @description How certain the candidate is. */
                confidence: number;
                /** @description Whether the target is known. */
                resolved: boolean;
            }[];
            /** @description Other records that the content refers to. */
            reference_candidates: {
                /** @description The reference as it is written in the content. */
                ref: string;
                /**
                 * Format: uuid
                 * @description The record that is meant, once it is known.
                 */
                target_record_id?: string;
                /**
                 * Format: uuid
                 * @description The entity that is meant, once it is known.
                 */
                target_entity_id?: string;
                /** @description How certain the candidate is. */
                confidence: number;
                /** @description Whether the target is known. */
                resolved: boolean;
            }[];
            /** @description How certain the interpretation is. */
            extraction_confidence: number;
        };
        /**
         * @example {
         *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "name": "ingest-worker",
         *       "permissions": [
         *         "records:read",
         *         "records:write"
         *       ],
         *       "scopes": [
         *         "team-a"
         *       ],
         *       "max_sensitivity": "medium",
         *       "source_type": "ingest",
         *       "expires_at": null,
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "last_used_at": null,
         *       "secret": "mbk_…"
         *     }
         */
        IssuedKey: {
            /** Format: uuid */
            id: string;
            /** @description The name of the key in audit entries and sources. */
            name: string;
            /** @description What the key may do. `admin` includes every other permission. */
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key can read and write. An empty list means all scopes. Every key can read records without a scope. */
            scopes: string[];
            /**
             * @description The ceiling of the key: the highest sensitivity that it can read in full.
             * @enum {string}
             */
            max_sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description The source type of records that the key writes.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The key is refused from this time on; null means never. */
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The last use, exact to the minute; null means never. */
            last_used_at: string | null;
            /** @description The secret that clients send. Shown only once and never stored. A replay of an Idempotency-Key does not contain it: if the first answer was lost, delete the key and create another. */
            secret?: string;
        };
        /** @description Options of `consolidate`, `dream` and `refresh_importance`. The other jobs take none. */
        JobOptions: {
            /** @description For `consolidate`: runs only these stages, in their usual order. Default: all. */
            stages?: ("episodic" | "semantic" | "extraction" | "competence" | "plan_graph")[];
            /** @description For `consolidate` and `dream`: a dry run asks the chat model as well, which costs as much as a real run. Default false. */
            ask_model?: boolean;
            /** @description For `dream`: runs only these steps, in their usual order. Default: all. */
            steps?: ("forget" | "cluster" | "peer_cards" | "synthesis" | "probe" | "drift" | "prune_logs")[];
            /** @description For `refresh_importance`: also estimates the base importance of the records that version 0.1.0 stored without an importance from the client. Pinned and forgotten records stay as they are. Each changed record gets one audit entry. Default false. */
            rejudge?: boolean;
        };
        /**
         * @example {
         *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "name": "ingest-worker",
         *       "permissions": [
         *         "records:read",
         *         "records:write"
         *       ],
         *       "scopes": [
         *         "team-a"
         *       ],
         *       "max_sensitivity": "medium",
         *       "source_type": "ingest",
         *       "expires_at": null,
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "last_used_at": null
         *     }
         */
        Key: {
            /** Format: uuid */
            id: string;
            /** @description The name of the key in audit entries and sources. */
            name: string;
            /** @description What the key may do. `admin` includes every other permission. */
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key can read and write. An empty list means all scopes. Every key can read records without a scope. */
            scopes: string[];
            /**
             * @description The ceiling of the key: the highest sensitivity that it can read in full.
             * @enum {string}
             */
            max_sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description The source type of records that the key writes.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The key is refused from this time on; null means never. */
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The last use, exact to the minute; null means never. */
            last_used_at: string | null;
        };
        KeyPage: {
            items: components["schemas"]["Key"][];
            next_cursor?: string;
        };
        /**
         * @description Without `layer` the record moves by one step in the order working, episodic, semantic.
         * @example {
         *       "actor": "curator",
         *       "rationale": "it holds everywhere"
         *     }
         */
        LayerMove: {
            /**
             * @description The new layer. Default: the next one in this direction.
             * @enum {string}
             */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description Who makes the change, for the audit log.
             * @example curator
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example it holds everywhere
             */
            rationale: string;
        };
        Lifecycle: {
            decay: components["schemas"]["Decay"];
            /**
             * Format: date-time
             * @description When the record was last reinforced; at first when it was created.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_reinforced_at: string;
            /** @description A pinned record neither fades nor is pruned. */
            pinned: boolean;
            /**
             * @description `auto_prune`: jobs may forget the record. `manual_only`: only a request may. `never`: no request may either, except an erase with `force`.
             * @enum {string}
             */
            deletion_policy: "auto_prune" | "manual_only" | "never";
        };
        Lineage: {
            /** @description Oldest first. */
            nodes: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @enum {string} */
                status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                created_at: string;
            }[];
            /** @description Relations from a newer record to an older one. */
            edges: {
                /** Format: uuid */
                source_id: string;
                /** @enum {string} */
                predicate: "supersedes" | "derived_from";
                /** Format: uuid */
                target_id: string;
            }[];
        };
        /**
         * @example {
         *       "status": "alive"
         *     }
         */
        Liveness: {
            /** @constant */
            status: "alive";
        };
        /**
         * @example {
         *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "job": "decay",
         *       "trigger": "manual",
         *       "dry_run": false,
         *       "options": {},
         *       "status": "succeeded",
         *       "progress": {
         *         "done": 120,
         *         "total": 120
         *       },
         *       "stats": {
         *         "materialised": 100,
         *         "pruned": 20
         *       },
         *       "attempts": 1,
         *       "worker": "worker-1",
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "started_at": "2026-03-28T09:30:00.100Z",
         *       "finished_at": "2026-03-28T09:30:00.400Z"
         *     }
         */
        MaintenanceRun: {
            /** Format: uuid */
            id: string;
            job: string;
            /** @enum {string} */
            trigger: "schedule" | "manual";
            /** @description A dry run computes everything and changes no record; only its list of changes and its stats remain. */
            dry_run: boolean;
            /** @description The run works only on records of this scope. */
            scope?: string;
            options: {
                [key: string]: unknown;
            };
            /**
             * @description Where the run stands.
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            progress: {
                /** @description The number of records that the run has processed. */
                done: number;
                /** @description The number of records that the run will process, once it is known. */
                total?: number;
            };
            /** @description Counts of what the run did. */
            stats: {
                /** @description Only for a simulation: a point for each value, in the order of the request. */
                curve?: components["schemas"]["SimulatedPoint"][];
            } & {
                [key: string]: number;
            };
            /** @description Why the run failed. For a run that succeeded, the last record or batch that failed and was skipped. */
            error?: string;
            /** @description How often a worker started the run. A worker that is stopped and returns the run to the queue does not count. */
            attempts: number;
            /** @description The worker that executes the run, or executed it last. */
            worker?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            started_at?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            finished_at?: string;
        };
        MaintenanceRunPage: {
            items: components["schemas"]["MaintenanceRun"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "ids": [
         *         "0197b9a0-0000-7000-8000-000000000001",
         *         "0197b9a0-0000-7000-8000-000000000002"
         *       ],
         *       "record": {
         *         "type": "semantic",
         *         "payload": {
         *           "kind": "semantic",
         *           "subject": "team",
         *           "predicate": "writes",
         *           "object": "Rust",
         *           "evidence": [
         *             {
         *               "source_type": "observation",
         *               "source_id": "meeting-14",
         *               "timestamp": "2026-03-28T09:30:00.000Z"
         *             }
         *           ]
         *         }
         *       },
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        Merger: {
            /** @description The records to merge: at least two different ids. A repeated id counts once. */
            ids: string[];
            record: components["schemas"]["NewRecord"];
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        MessagePage: {
            items: components["schemas"]["SeenMessage"][];
            next_cursor?: string;
        };
        /**
         * @description A part of a message: an object with a `type`, as the APIs of OpenAI and Anthropic and the AI SDK have it (`block_type` in LlamaIndex, `part_kind` in Pydantic AI), or with a member that says what it is, as in the APIs of Gemini and Bedrock (`text`, `functionCall`, `functionResponse`, `toolUse`, `toolResult`). The texts of `text`, `input_text`, `output_text` and `refusal` are joined, and have at most 100,000 characters together. A call (`tool_use`, `tool-call`, `tool-<name>` of a UI message) is stored with its tool and arguments, and a result (`tool_result`, `tool-result`, the output of a call) with its text. Other parts, such as images, files and thoughts, are left out, and may be longer than 100,000 characters.
         * @example {
         *       "type": "text",
         *       "text": "In eu-west-1 since March."
         *     }
         */
        MessagePart: unknown;
        /**
         * @description A message of Pydantic AI as JSON. Its prompts, texts, calls and results are stored. The prompt of the agent, thoughts and all other members are not.
         * @example {
         *       "kind": "request",
         *       "parts": [
         *         {
         *           "part_kind": "user-prompt",
         *           "content": "How warm is Oslo?"
         *         }
         *       ]
         *     }
         */
        ModelMessage: {
            /**
             * @description A `request` is stored with the role `user`, a `response` with the role `assistant`.
             * @enum {string}
             */
            kind: "request" | "response";
            /** @description Parts with a `part_kind`. */
            parts: components["schemas"]["MessagePart"][];
        };
        /**
         * @example {
         *       "actor": "agent-7"
         *     }
         */
        NewAccess: {
            /** @description Who used the record. Default: the name of the key. */
            actor?: string;
        };
        /** @description Another name of the thing: with its kind and language, or alone. */
        NewAlias: {
            /** @description The name. */
            value: string;
            /** @description What kind of name it is. */
            kind?: string;
            /** @description The language of the name. */
            locale?: string;
        } | string;
        /**
         * @description Evidence from which linked records are created.
         * @example {
         *       "source": "auth-agent",
         *       "source_kind": "event",
         *       "content": {
         *         "ref": "thread-1:turn-7",
         *         "text": "Refactored auth middleware and verified package tests"
         *       },
         *       "reason_to_remember": "Keep auth refactor context",
         *       "summary": "Refactored auth middleware",
         *       "tags": [
         *         "auth"
         *       ],
         *       "sensitivity": "low"
         *     }
         * @example {
         *       "source": "auth-agent",
         *       "source_kind": "observation",
         *       "content": {
         *         "subject": "user",
         *         "predicate": "prefers_language",
         *         "object": "Go"
         *       }
         *     }
         * @example {
         *       "source": "auth-agent",
         *       "source_kind": "tool_output",
         *       "content": {
         *         "tool_name": "go test",
         *         "args": [
         *           "./pkg/auth"
         *         ],
         *         "result": {
         *           "passed": 12
         *         },
         *         "outcome": "success"
         *       }
         *     }
         * @example {
         *       "source": "auth-agent",
         *       "source_kind": "working_state",
         *       "content": {
         *         "thread_id": "session-001",
         *         "state": "executing",
         *         "next_actions": [
         *           "run tests"
         *         ]
         *       }
         *     }
         * @example {
         *       "source": "auth-agent",
         *       "source_kind": "outcome",
         *       "content": {
         *         "target_id": "0197b9a0-0000-7000-8000-000000000001",
         *         "outcome": "success"
         *       }
         *     }
         */
        NewCapture: {
            /** @description The person, agent or tool that reports the evidence. */
            source: string;
            /** @description The kind of evidence: `event` (default), `tool_output`, `observation`, `working_state`, `agent_turn` or `outcome`. Any other value is treated as an event. */
            source_kind?: string;
            /** @description Any JSON value. All of it is kept. In an object these fields have a meaning. `ref`: a name for the evidence; a retry repeats it. `event_kind`, `timeline`, `tool_graph`, `tool_graph_ref`, `outcome`, `artifacts` and `environment`: copied to the episode. `subject`, `predicate` and `object`: a fact, optionally with `validity` and `revision_policy`. For a tool output: `tool_name` (or `tool`), `args`, `result` and `depends_on`. For a working state: `thread_id` (required), `state`, `active_constraints`, `next_actions`, `open_questions` and `context_summary`. For an outcome: `target_id`, `outcome` (both required) and `rationale`. */
            content: unknown;
            /** @description The circumstances of the event. Kept with the content. */
            context?: {
                [key: string]: unknown;
            };
            /** @description Why it should be remembered. Kept with the content. */
            reason_to_remember?: string;
            /**
             * @description The record type that fits best. Kept in the interpretation; it does not change what is stored.
             * @enum {string}
             */
            proposed_type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @description What happened, in one sentence. Default: generated. A context contains it, but not the arguments of tools: say here what a tool call did. */
            summary?: string;
            /** @description Tags of the stored records, except of new entities. */
            tags?: string[];
            /** @description The scope of the new records. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /**
             * @description A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).
             * @enum {string}
             */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * Format: date-time
             * @description When it happened: the time of the event in the stored episode. `created_at` of the records is always the time of the call. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            timestamp?: string;
            /** @description The conversation in which the event is listed, together with its messages. Not used for working states and outcomes. */
            conversation?: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                id: string;
                /**
                 * @description The order among events with the same `timestamp`. Events with the same position follow in the order of their arrival.
                 * @default 0
                 */
                position?: number;
            };
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The base importance of the stored records. Default: judged from their content. */
            importance?: number;
            /**
             * @description What kind of memory it is; `mode` of a retrieval selects by it. Default by type: `fact` for semantic and entity, `procedure` for competence and plan_graph, `narrative` for episodic and working.
             * @enum {string}
             */
            memory_kind?: "fact" | "procedure" | "narrative";
        };
        NewCompetencePayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "competence";
            /** @description The name of the competence. */
            skill_name: string;
            /** @description When to use the competence. */
            triggers?: {
                /** @description What shows that the competence fits. */
                signal: string;
                /** @description Conditions that must hold as well. */
                conditions?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The steps, in order. */
            recipe?: {
                /** @description What to do. */
                step: string;
                /** @description The tool to use. */
                tool?: string;
                /** @description The arguments of the tool, as a JSON schema. */
                args_schema?: {
                    [key: string]: unknown;
                };
                /** @description How to check the result. */
                validation?: string;
            }[];
            /** @description The tools that the competence needs. */
            required_tools?: string[];
            /** @description How it can fail. */
            failure_modes?: string[];
            /** @description What to do if it fails. */
            fallbacks?: string[];
            /** @description How well the competence worked so far. */
            performance?: {
                /** @description How many uses succeeded. */
                success_count: number;
                /** @description How many uses failed. */
                failure_count: number;
                /** @description The share of the uses that succeeded. */
                success_rate: number;
                /** @description The mean duration of a use. */
                avg_latency_ms?: number;
                /**
                 * Format: date-time
                 * @description When the competence was last used.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_used_at?: string;
            };
            /** @description The version of the competence. */
            version?: string;
        };
        /**
         * @example {
         *       "predicate": "supports",
         *       "target_id": "0197b9a0-0000-7000-8000-000000000001",
         *       "weight": 0.8
         *     }
         */
        NewEdge: {
            /** @description How the source is related to the target, such as `supports`. */
            predicate: string;
            /**
             * Format: uuid
             * @description The id of the record at the other end.
             */
            target_id: string;
            /** @description How strong the relation is. Default 1. */
            weight?: number;
            /** @description Who makes the change, for the audit log. Default: the name of the key. */
            actor?: string;
            /** @description Why. It is stored in the audit log. */
            rationale?: string;
        };
        NewEntityPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "entity";
            /** @description The name of the thing. */
            canonical_name: string;
            /** @description The main type of the thing. */
            primary_type: string;
            /** @description All types of the thing. */
            types?: string[];
            /** @description Other names of the thing. */
            aliases?: components["schemas"]["NewAlias"][];
            /** @description Ids of the thing elsewhere. Within one scope and sensitivity only one entity has an identifier. */
            identifiers?: {
                /** @description Who gives the identifier, such as `github`. */
                namespace: string;
                /** @description The identifier. */
                value: string;
            }[];
            /** @description What the thing is, in words. */
            summary?: string;
        };
        NewEpisodicPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "episodic";
            /** @description The place of a message in its conversation. */
            conversation?: {
                /** @description The id of the conversation, unique in its scope. */
                id: string;
                /** @description The id of the message, unique in the conversation. */
                message_id: string;
                /** @description The place in the conversation: later messages have higher numbers, with gaps. */
                position?: number;
                /**
                 * Format: date-time
                 * @description When the message was written. It decides the order of the messages.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description The role of the writer. */
                role: string;
                /** @description The name of the writer. */
                name?: string;
                /** @description Stored, but not searched. */
                metadata?: {
                    [key: string]: unknown;
                };
            };
            /** @description The events of the episode. */
            timeline?: {
                /**
                 * Format: date-time
                 * @description When the event happened.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                t: string;
                /** @description What kind of event it is, such as `message`. */
                event_kind: string;
                /** @description A reference to the source of the event. */
                ref: string;
                /** @description The event in words. */
                summary?: string;
            }[];
            /** @description The tool calls of the episode. */
            tool_graph?: {
                /** @description The id of the call in this graph. */
                id: string;
                /** @description The name of the tool. */
                tool: string;
                /** @description The arguments of the call. */
                args?: unknown;
                /** @description The result of the call. */
                result?: unknown;
                /**
                 * Format: date-time
                 * @description When the tool was called.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
                /** @description The ids of the calls on which this call depends. */
                depends_on?: string[];
            }[];
            /** @description Where the episode happened. */
            environment?: {
                /** @description The operating system. */
                os?: string;
                /** @description The version of the operating system. */
                os_version?: string;
                /** @description The versions of tools, by name. */
                tool_versions?: {
                    [key: string]: string;
                };
                /** @description The directory in which it happened. */
                working_directory?: string;
                /** @description Any other circumstances. */
                context?: {
                    [key: string]: unknown;
                };
            };
            /**
             * @description How the episode ended.
             * @enum {string}
             */
            outcome?: "success" | "failure" | "partial";
            /** @description References to what was produced, such as files. */
            artifacts?: string[];
            /** @description A reference to a tool graph that is stored elsewhere. */
            tool_graph_ref?: string;
        };
        /**
         * @example {
         *       "name": "ingest-worker",
         *       "permissions": [
         *         "records:read",
         *         "records:write"
         *       ],
         *       "scopes": [
         *         "team-a"
         *       ],
         *       "max_sensitivity": "medium"
         *     }
         */
        NewKey: {
            /** @description The name of the key in audit entries and sources. */
            name: string;
            /** @description What the key may do. `admin` includes every other permission. */
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key can read and write. An empty list means all scopes. Every key can read records without a scope. */
            scopes?: string[];
            /**
             * @description The ceiling of the key: the highest sensitivity that it can read in full. Default `low`.
             * @enum {string}
             */
            max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description The source type of records that the key writes. Default: `ingest`, or the source type of the calling key if that is less trusted.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The key is refused from this time on, which must be in the future. Default: when the calling key expires; null means never. */
            expires_at?: string | null;
        };
        /** @description Fields that are absent are taken from the lifecycle policy of the record type. */
        NewLifecycle: {
            /** @description How the salience falls and rises. */
            decay?: {
                /**
                 * @description How the salience falls. `exponential`, and `custom` in the same way: by half in each half-life. `linear`: to 0 in one half-life. `huber`: exponential for half a half-life, then a straight line. `elastic`: 30% straight to 0 in two half-lives, the rest exponential.
                 * @enum {string}
                 */
                curve?: "exponential" | "linear" | "custom" | "huber" | "elastic";
                /** @description Seconds after which half of the salience is left on the exponential curve. */
                half_life_seconds?: number;
                /** @description The floor: fading and penalties do not lower the salience below it. */
                min_salience?: number;
                /** @description Seconds from the creation after which the salience is 0; 0 means no maximum age. */
                max_age_seconds?: number;
                /** @description What each reinforcement adds to the salience. */
                reinforcement_gain?: number;
                /** @description The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience. */
                max_salience?: number | null;
            };
            /** @description A pinned record neither fades nor is pruned. */
            pinned?: boolean;
            /**
             * @description `auto_prune`: jobs may forget the record. `manual_only`: only a request may. `never`: no request may either, except an erase with `force`.
             * @enum {string}
             */
            deletion_policy?: "auto_prune" | "manual_only" | "never";
            /**
             * Format: date-time
             * @description The time from which the salience fades; not in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_reinforced_at?: string;
        };
        /**
         * @example {
         *       "job": "decay",
         *       "dry_run": true
         *     }
         */
        NewMaintenanceRun: {
            /**
             * @description The job to run. `decay` forgets records that have faded or exceed a budget, and promotes records that are used. `consolidate` makes facts, skills and plans from episodes. `dream` merges, checks and tidies the store. `compress` shortens the vectors of fading records. `embed` computes missing vectors. `purge` deletes forgotten records for good when they can no longer be restored. `refresh_importance` computes importance again.
             * @enum {string}
             */
            job: "decay" | "consolidate" | "dream" | "compress" | "embed" | "purge" | "refresh_importance";
            /** @description true: list what the run would do, and change no record. Default false. */
            dry_run?: boolean;
            /** @description The run works only on records of this scope. */
            scope?: string;
            options?: components["schemas"]["JobOptions"];
        };
        NewMessage: {
            /** @description The id of the message, unique in the conversation. */
            id?: string;
            /** @description Who writes: `user`, `assistant`, `tool` or any other word. A message of the role `system` or `developer` is the prompt of an agent, and is stored only if it has an `id`. `ai`, `bot`, `model` and `agent` mean an assistant too. A message of the `user` that has only results of tools is stored with the role `tool`. */
            role: string;
            /** @description The name of the writer. A question with this name finds the messages of this writer first. */
            name?: string;
            /** @description What is said: a text, or a list of parts as chat APIs have it. */
            content?: string | components["schemas"]["MessagePart"][] | components["schemas"]["StoredContent"] | null;
            /** @description The calls of tools, as the API of OpenAI has them: `id`, and `function` with `name` and `arguments`. */
            tool_calls?: unknown[] | null;
            /** @description The call whose result `content` is. The result gets the tool of that call if the request has the call too. */
            tool_call_id?: string | null;
            /** @description The text of a model that refuses to answer. Used if `content` has no text. */
            refusal?: string | null;
            /** @description The parts of a message of the AI SDK or of Gemini, instead of `content`. */
            parts?: components["schemas"]["MessagePart"][];
            /** @description The calls of version 4 of the AI SDK with their results. Read if the message has no `parts`. */
            toolInvocations?: unknown[] | null;
            /** @description The parts of a message of LlamaIndex, instead of `content`. */
            blocks?: components["schemas"]["MessagePart"][];
            /** @description Of a message of LlamaIndex: its `tool_calls` and `tool_call_id`, and the transcript of its `audio`, are read, the rest is not. */
            additional_kwargs?: {
                [key: string]: unknown;
            };
            /** @description Accepted, because chat APIs return it. Not stored. */
            annotations?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            audio?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            createdAt?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            data?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            experimental_attachments?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            function_call?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            reasoning?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            reasoning_content?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            reasoning_details?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            providerOptions?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            resourceId?: unknown;
            /** @description Accepted, because chat APIs return it. Not stored. */
            threadId?: unknown;
            /**
             * Format: date-time
             * @description When it was written: it decides the order of the messages. `created_at` of the record is always the time of the call. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            at?: string;
            /** @description An object. Stored, but not searched. */
            metadata?: unknown;
        };
        /**
         * @example {
         *       "messages": [
         *         {
         *           "id": "m1",
         *           "role": "user",
         *           "name": "Ada",
         *           "content": "Which region does billing run in?"
         *         },
         *         {
         *           "id": "m2",
         *           "role": "assistant",
         *           "content": "In eu-west-1 since March."
         *         }
         *       ]
         *     }
         */
        NewMessages: {
            /** @description The scope of the conversation. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /**
             * @description A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).
             * @enum {string}
             */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /** @description Tags of the messages. */
            tags?: string[];
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The messages, in the order of the conversation. */
            messages: components["schemas"]["GivenMessage"][];
        };
        /** @description The payload for the record's `type`. Empty lists may be left out. */
        NewPayload: components["schemas"]["NewEpisodicPayload"] | components["schemas"]["NewWorkingPayload"] | components["schemas"]["NewEntityPayload"] | components["schemas"]["NewSemanticPayload"] | components["schemas"]["NewCompetencePayload"] | components["schemas"]["NewPlanGraphPayload"];
        /**
         * @example {
         *       "job": "decay"
         *     }
         */
        NewPlan: {
            /**
             * @description The job to plan.
             * @enum {string}
             */
            job: "decay" | "consolidate" | "dream" | "compress" | "purge" | "refresh_importance";
            options?: components["schemas"]["JobOptions"];
            /** @description Only records of this scope. */
            scope?: string;
        };
        NewPlanGraphPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "plan_graph";
            /** @description The id of the plan graph, chosen by the client. */
            plan_id: string;
            /** @description The version of the plan graph. */
            version: string;
            /** @description What the plan graph achieves. */
            intent?: string;
            /** @description Conditions of the whole plan graph. */
            constraints?: {
                [key: string]: unknown;
            };
            /** @description The inputs, as a JSON schema. */
            inputs_schema?: {
                [key: string]: unknown;
            };
            /** @description The outputs, as a JSON schema. */
            outputs_schema?: {
                [key: string]: unknown;
            };
            /** @description The nodes of the graph. */
            nodes?: {
                /** @description The id of the node, unique in the graph. */
                id: string;
                /** @description What the node does. */
                op: string;
                /** @description The parameters of the operation. */
                params?: {
                    [key: string]: unknown;
                };
                /** @description The conditions under which the node may run. */
                guards?: unknown;
            }[];
            /** @description The order of the nodes, without cycles. */
            edges?: {
                /** @description The id of the node that comes first. */
                from: string;
                /** @description The id of the node that comes after it. */
                to: string;
                /**
                 * @description `data`: the second node uses the result of the first. `control`: only the order counts.
                 * @enum {string}
                 */
                kind: "data" | "control";
            }[];
            /** @description How well the plan graph worked so far. */
            metrics?: {
                /** @description The mean duration of an execution. */
                avg_latency_ms?: number;
                /** @description The share of the executions that failed. */
                failure_rate?: number;
                /** @description How often the plan graph was executed. */
                execution_count: number;
                /**
                 * Format: date-time
                 * @description When the plan graph was last executed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_executed_at?: string;
            };
        };
        /**
         * @description A record to store.
         * @example {
         *       "type": "semantic",
         *       "tags": [
         *         "preference"
         *       ],
         *       "payload": {
         *         "kind": "semantic",
         *         "subject": "user",
         *         "predicate": "prefers_language",
         *         "object": "Go"
         *       }
         *     }
         */
        NewRecord: {
            /**
             * Format: uuid
             * @description Any UUID except the nil UUID. The service generates one if it is absent.
             */
            id?: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).
             * @enum {string}
             */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. Default 1. */
            confidence?: number;
            /** @description The salience from which the record fades. Default 1. */
            salience?: number;
            /** @description The scope of the record. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags?: string[];
            /**
             * Format: date-time
             * @description When the record was first stored, if it comes from elsewhere. When something happened is in the payload: `t` of an event, `timestamp` of evidence. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
            lifecycle?: components["schemas"]["NewLifecycle"];
            provenance?: components["schemas"]["Provenance"];
            /** @description Relations from this record to others that the key can read in full. */
            relations?: components["schemas"]["NewRelation"][];
            payload: components["schemas"]["NewPayload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description What the content is worth. Default: judged from the content; `/explain` shows how. */
            base_importance?: number;
            /** @description From -1 (bad) to 1 (good). Both raise the importance. Default 0. */
            emotional_valence?: number;
            /**
             * @description The layer of memory. Default by type: `working`, `episodic`, `semantic` (also for entities) or `procedural`.
             * @enum {string}
             */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description What kind of memory it is; `mode` of a retrieval selects by it. Default by type: `fact` for semantic and entity, `procedure` for competence and plan_graph, `narrative` for episodic and working.
             * @enum {string}
             */
            memory_kind?: "fact" | "procedure" | "narrative";
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
        };
        NewRelation: {
            /** @description How the source is related to the target, such as `supports`. */
            predicate: string;
            /**
             * Format: uuid
             * @description The id of the record at the other end.
             */
            target_id: string;
            /** @description How strong the relation is. Default 1. */
            weight?: number;
            /**
             * Format: date-time
             * @description When it was made. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
        };
        NewSemanticPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "semantic";
            /** @description What the fact is about: a name, or the id of an entity. */
            subject: string;
            /** @description What is stated about the subject, such as `prefers_language`. */
            predicate: string;
            /** @description The value of the predicate: any JSON value. */
            object: unknown;
            /** @description When the fact holds. Default of a new fact: always (`global`). */
            validity?: {
                /**
                 * @description `global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`.
                 * @enum {string}
                 */
                mode: "global" | "conditional" | "timeboxed";
                /** @description The conditions of a conditional fact, by name. */
                conditions?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @description When a timeboxed fact begins to hold. Absent: it always held.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                start?: string;
                /**
                 * Format: date-time
                 * @description When a timeboxed fact ends, after its `start`. Absent: it has no end.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                end?: string;
            };
            /** @description Where the fact comes from. */
            evidence?: {
                /**
                 * @description The kind of source.
                 * @enum {string}
                 */
                source_type: "event" | "tool" | "observation" | "human";
                /** @description The id of the source. The id of a record: the fact comes from that record. */
                source_id: string;
                /**
                 * Format: date-time
                 * @description When the source stated it.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp: string;
            }[];
            /**
             * @description What happens to this fact if a capture states another object for its subject and predicate. `replace`: the new fact supersedes it. `fork`: both stay. `contest` (default): both stay, and this fact is contested. Without a policy, facts of a list, such as what a person `likes`, `knows` or `speaks`, all stay.
             * @enum {string}
             */
            revision_policy?: "replace" | "fork" | "contest";
            /** @description Written by revisions. A new record may only state `{"status": "active"}`. */
            revision?: {
                /**
                 * Format: uuid
                 * @description The fact that this one replaced.
                 */
                supersedes?: string;
                /**
                 * Format: uuid
                 * @description The fact that replaced this one.
                 */
                superseded_by?: string;
                /**
                 * @description The state of the fact: `retracted` if it was retracted, and also if another fact replaced it. The `status` of the record distinguishes them.
                 * @enum {string}
                 */
                status: "active" | "contested" | "retracted";
            };
        };
        /**
         * @description What to simulate. Needs exactly one of `half_life`, `budget` and `policies`.
         * @example {
         *       "over": "30d",
         *       "half_life": {
         *         "type": "episodic",
         *         "seconds": [
         *           86400,
         *           259200,
         *           604800
         *         ]
         *       }
         *     }
         */
        NewSimulation: {
            /** @description Only records of this scope. Default: the only scope of the key, or all scopes for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /**
             * @description How far back the recorded uses and changes are repeated, from 1h to 365d.
             * @example 30d
             */
            over: string;
            /** @description Half-lives for the records of one type. */
            half_life?: {
                /**
                 * @description The type whose half-life is simulated.
                 * @enum {string}
                 */
                type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @description The half-lives to compare, in this order. */
                seconds: number[];
            };
            /** @description Budgets for each scope. Needs exactly one of `max_records` and `max_bytes`. */
            budget?: {
                /** @description Numbers of records that a scope may hold. */
                max_records?: number[];
                /** @description Numbers of bytes that the records of a scope may have: the approximate size as JSON. */
                max_bytes?: number[];
            };
            /** @description Lifecycle policies by type, as in `PUT /v1/policies/{type}`. */
            policies?: {
                episodic?: components["schemas"]["PolicyChoice"];
                working?: components["schemas"]["PolicyChoice"];
                entity?: components["schemas"]["PolicyChoice"];
                semantic?: components["schemas"]["PolicyChoice"];
                competence?: components["schemas"]["PolicyChoice"];
                plan_graph?: components["schemas"]["PolicyChoice"];
            };
        };
        /**
         * @example {
         *       "id": "acme"
         *     }
         */
        NewTenant: {
            /**
             * @description The id of the tenant: lower-case letters, digits and hyphens, beginning with a letter; not `public`.
             * @example acme
             */
            id: string;
            /**
             * @description The URL, with user and password, of a database on another server (PostgreSQL 15 or newer), where the schema of the tenant is created. Several tenants can have the same database. The URL is stored encrypted with `MEMBRANE_TENANT_KEY`. Its only parameter can be `sslmode`. Default: the main database.
             * @example postgres://membrane:secret@db-7.example:5432/acme
             */
            database_url?: string;
        };
        /**
         * @example {
         *       "actor": "operator",
         *       "rationale": "the half-life was too short"
         *     }
         */
        NewUndo: {
            /** @description Who makes the change, for the audit log. */
            actor: string;
            /** @description Why. It is stored in the audit log. */
            rationale: string;
            /** @description Actions of the run and ids of records: only these changes are taken back. Default: all. */
            only?: components["schemas"]["ChangeSelector"][];
            /**
             * @description true: list what the undo would do, and change no record.
             * @default false
             */
            dry_run?: boolean;
        };
        NewWorkingPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "working";
            /** @description The id of the task or session. A later capture with the same id updates the record. */
            thread_id: string;
            /**
             * @description The state of the task.
             * @enum {string}
             */
            state: "planning" | "executing" | "blocked" | "waiting" | "done";
            /** @description What holds for the task. */
            active_constraints?: {
                /** @description The kind of constraint. */
                type: string;
                /** @description The name of the constraint. */
                key: string;
                /** @description Any JSON value. */
                value: unknown;
                /** @description Whether the constraint must hold. */
                required: boolean;
            }[];
            /** @description What to do next. */
            next_actions?: string[];
            /** @description What is not known yet. */
            open_questions?: string[];
            /** @description The task so far, in words. */
            context_summary?: string;
        };
        OmittedRecord: {
            /** Format: uuid */
            record_id: string;
            /**
             * @description `budget`: it does not fit into `max_tokens`. `repetition`: another line says the same, or a newer state of the same task. `not_selected`: another competence or plan graph fits better. `only_name`: an entity of which only the name and the type are known, beside other records.
             * @enum {string}
             */
            reason: "budget" | "repetition" | "not_selected" | "only_name";
        };
        /**
         * @description The outcome of an episode.
         * @example {
         *       "outcome": "success",
         *       "actor": "ci",
         *       "rationale": "all checks passed"
         *     }
         */
        OutcomeChoice: {
            /**
             * @description How the episode ended.
             * @enum {string}
             */
            outcome: "success" | "failure" | "partial";
            /** @description Who makes the change, for the audit log. */
            actor: string;
            /** @description Why. It is stored in the audit log. */
            rationale?: string;
        };
        /**
         * @example {
         *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "name": "ingest-worker",
         *       "permissions": [
         *         "records:read",
         *         "records:write"
         *       ],
         *       "scopes": [
         *         "team-a"
         *       ],
         *       "max_sensitivity": "medium",
         *       "source_type": "ingest",
         *       "expires_at": null
         *     }
         */
        OwnKey: {
            /** @description null for the root key and for a request without a key. */
            id: string | null;
            /** @description The name of the key in audit entries and sources. */
            name: string;
            /** @description What the key may do. `admin` includes every other permission. */
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key can read and write. An empty list means all scopes. Every key can read records without a scope. */
            scopes: string[];
            /**
             * @description The ceiling of the key: the highest sensitivity that it can read in full.
             * @enum {string}
             */
            max_sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description The source type of records that the key writes.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The key is refused from this time on; null means never. */
            expires_at: string | null;
        };
        Payload: components["schemas"]["EpisodicPayload"] | components["schemas"]["WorkingPayload"] | components["schemas"]["EntityPayload"] | components["schemas"]["SemanticPayload"] | components["schemas"]["CompetencePayload"] | components["schemas"]["PlanGraphPayload"];
        /**
         * @example {
         *       "amount": 0.3,
         *       "actor": "planner",
         *       "rationale": "it answered the question"
         *     }
         */
        Penalty: {
            /** @description What is subtracted from the salience. */
            amount: number;
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example it answered the question
             */
            rationale: string;
        };
        /**
         * @example {
         *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "job": "decay",
         *       "options": {},
         *       "status": "ready",
         *       "counts": {
         *         "prune": 20
         *       },
         *       "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "expires_at": "2026-04-04T09:30:00.000Z"
         *     }
         */
        Plan: {
            /**
             * Format: uuid
             * @description The id of the plan, and of the dry run that prepares it.
             */
            id: string;
            job: string;
            options: {
                [key: string]: unknown;
            };
            /** @description Only records of this scope. */
            scope?: string;
            /**
             * @description `preparing`: the dry run has not ended. `ready`: the plan can be applied. `stale`: a record was changed after the plan was prepared; an application skips this record. `applied`: it was applied, in full or in part. `expired`: it is too old to be applied. `failed`: the dry run failed.
             * @enum {string}
             */
            status: "preparing" | "ready" | "stale" | "applied" | "expired" | "failed";
            /** @description Identifies the content of the plan; send it when you apply the plan. Present once the plan is prepared. */
            digest?: string;
            /** @description The number of changes by action, counted over the records that the key can see. */
            counts: {
                [key: string]: number;
            };
            /** @description Why the preparation failed. */
            error?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            expires_at: string;
        };
        /**
         * @example {
         *       "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
         *       "except": [
         *         "archive"
         *       ]
         *     }
         */
        PlanApplication: {
            /** @description The digest of the plan, from the plan as you read it. */
            digest: string;
            /** @description Actions and ids of records: only these changes are made. Default: all. */
            only?: components["schemas"]["ChangeSelector"][];
            /** @description Actions and ids of records: these changes are not made. */
            except?: components["schemas"]["ChangeSelector"][];
        };
        PlanChange: {
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description What would happen to the record; the names are those of the changes of a run.
             * @example prune
             */
            action: string;
            before?: {
                [key: string]: unknown;
            };
            after?: {
                [key: string]: unknown;
            };
            /** @description The change and its reason, in words. */
            why?: string;
            /**
             * @description The record is one sensitivity level above the ceiling of the key, so its values are not shown.
             * @constant
             */
            redacted?: true;
        };
        PlanChangePage: {
            items: components["schemas"]["PlanChange"][];
            next_cursor?: string;
        };
        /** @description A reusable solution as a directed acyclic graph. */
        PlanGraphPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "plan_graph";
            /** @description The id of the plan graph, chosen by the client. */
            plan_id: string;
            /** @description The version of the plan graph. */
            version: string;
            /** @description What the plan graph achieves. */
            intent?: string;
            /** @description Conditions of the whole plan graph. */
            constraints?: {
                [key: string]: unknown;
            };
            /** @description The inputs, as a JSON schema. */
            inputs_schema?: {
                [key: string]: unknown;
            };
            /** @description The outputs, as a JSON schema. */
            outputs_schema?: {
                [key: string]: unknown;
            };
            /** @description The nodes of the graph. */
            nodes: {
                /** @description The id of the node, unique in the graph. */
                id: string;
                /** @description What the node does. */
                op: string;
                /** @description The parameters of the operation. */
                params?: {
                    [key: string]: unknown;
                };
                /** @description The conditions under which the node may run. */
                guards?: unknown;
            }[];
            /** @description The order of the nodes, without cycles. */
            edges: {
                /** @description The id of the node that comes first. */
                from: string;
                /** @description The id of the node that comes after it. */
                to: string;
                /**
                 * @description `data`: the second node uses the result of the first. `control`: only the order counts.
                 * @enum {string}
                 */
                kind: "data" | "control";
            }[];
            /** @description How well the plan graph worked so far. */
            metrics?: {
                /** @description The mean duration of an execution. */
                avg_latency_ms?: number;
                /** @description The share of the executions that failed. */
                failure_rate?: number;
                /** @description How often the plan graph was executed. */
                execution_count: number;
                /**
                 * Format: date-time
                 * @description When the plan graph was last executed.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_executed_at?: string;
            };
        };
        PlanGroup: {
            action: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            count: number;
            /** @description The sum of the present salience of the records. */
            salience: number;
            /** @description The approximate size of the records as JSON. */
            bytes: number;
            /** @description The record of the group with the highest `keeping`. */
            most_valuable?: {
                /** Format: uuid */
                record_id: string;
                /** @description A record with a higher value is kept longer. */
                keeping: number;
            };
        };
        PlanPage: {
            items: components["schemas"]["Plan"][];
            next_cursor?: string;
        };
        /** @description The changes of a plan in groups. Salience, bytes and `keeping` count only records that the key can read in full. */
        PlanSummary: {
            groups: components["schemas"]["PlanGroup"][];
        };
        /** @description The lifecycle of new records of a type: how they fade, and whether they may be forgotten. */
        Policy: {
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            decay: components["schemas"]["Decay"];
            /**
             * @description `auto_prune`: jobs may forget the record. `manual_only`: only a request may. `never`: no request may either, except an erase with `force`.
             * @enum {string}
             */
            deletion_policy: "auto_prune" | "manual_only" | "never";
        };
        /**
         * @description The lifecycle of new records of a type.
         * @example {
         *       "decay": {
         *         "curve": "exponential",
         *         "half_life_seconds": 259200,
         *         "min_salience": 0,
         *         "max_age_seconds": 0,
         *         "reinforcement_gain": 0.1,
         *         "max_salience": 1
         *       },
         *       "deletion_policy": "auto_prune"
         *     }
         */
        PolicyChoice: {
            decay: components["schemas"]["Decay"];
            /**
             * @description `auto_prune`: jobs may forget the record. `manual_only`: only a request may. `never`: no request may either, except an erase with `force`.
             * @enum {string}
             */
            deletion_policy: "auto_prune" | "manual_only" | "never";
        };
        PolicyPage: {
            items: components["schemas"]["Policy"][];
            next_cursor?: string;
        };
        /**
         * @description A problem as in RFC 9457. Some codes add members of their own.
         * @example {
         *       "type": "urn:membrane:problem:validation_failed",
         *       "title": "The request does not match the schema; `errors` lists every place.",
         *       "status": 422,
         *       "detail": "The request does not match the schema; `errors` lists every place.",
         *       "code": "validation_failed",
         *       "request_id": "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9",
         *       "errors": [
         *         {
         *           "pointer": "/payload/kind",
         *           "message": "is required"
         *         }
         *       ]
         *     }
         */
        Problem: {
            /** @description A URN that identifies the error code. */
            type: string;
            /** @description The meaning of the code; always the same text. */
            title: string;
            status: number;
            /** @description What went wrong in this request. */
            detail: string;
            /**
             * @description Stable; docs/errors.md lists all codes.
             * @enum {string}
             */
            code: "above_ceiling" | "already_retracted" | "already_superseded" | "body_too_large" | "budget_not_found" | "budget_too_small" | "conversation_not_found" | "database_unavailable" | "deletion_policy_never" | "digest_mismatch" | "episodic_immutable" | "erased_content" | "evidence_required" | "forbidden" | "headers_too_large" | "idempotency_key_reused" | "identifier_taken" | "if_match_required" | "internal_error" | "invalid_cursor" | "invalid_idempotency_key" | "invalid_position" | "invalid_transition" | "job_not_found" | "key_not_found" | "malformed_json" | "malformed_request" | "merge_too_large" | "message_conflict" | "method_not_allowed" | "model_unavailable" | "no_drift_roots" | "no_further_layer" | "no_vectors" | "not_ready" | "not_revisable" | "not_undoable" | "number_too_large" | "outside_trust" | "overloaded" | "payload_immutable" | "plan_expired" | "plan_not_found" | "plan_not_ready" | "rate_limited" | "record_erased" | "record_exists" | "record_forgotten" | "record_not_forgotten" | "record_not_found" | "record_pinned" | "record_purged" | "record_retracted" | "relation_not_found" | "request_in_progress" | "request_timeout" | "reserved_predicate" | "route_not_found" | "run_finished" | "run_not_found" | "scope_mismatch" | "scope_required" | "sensitivity_lowered" | "shutting_down" | "tenant_copy_differs" | "tenant_exists" | "tenant_key_missing" | "tenant_not_found" | "tenant_not_suspended" | "tenant_suspended" | "tombstone_key_mismatch" | "tombstone_key_missing" | "tombstone_not_found" | "type_mismatch" | "unauthenticated" | "unsupported_media_type" | "validation_failed" | "version_mismatch" | "worth_model_not_found";
            /** @description The id of the request, which is in the log as well. */
            request_id: string;
            /** @description Every place in the request that is wrong. */
            errors?: components["schemas"]["Fault"][];
        };
        PromptContext: {
            /** @description The text for the prompt. Empty if nothing was found or nothing fits. With `format: json` it is then a document with only the `notice`, or empty if `max_tokens` is too small even for that. */
            text: string;
            /** @description The estimated tokens of the text, at most `max_tokens`. Letters and spaces count 0.25, digits and signs 0.8, and characters outside ASCII half of their UTF-8 bytes. Random letters, as in base64, can be twice as many tokens. */
            token_estimate: number;
            /** @description The records in the text, in its order. */
            items: components["schemas"]["ContextItem"][];
            /**
             * @description The words of the task that no line of the text has, in any ending, if they are more than half of its words; common words such as `the` do not count. The lines may then have nothing to do with the task: they are the nearest that is remembered.
             * @example [
             *       "CFO",
             *       "penguins"
             *     ]
             */
            missing_words: string[];
            /** @description The records that were found and that the key can read in full, but that are not in the text; the most relevant first. */
            omitted: components["schemas"]["OmittedRecord"][];
        };
        /** @description Where the content of a record comes from. Default of a new record: the key, as an event. */
        Provenance: {
            /** @description The sources of the content. */
            sources: {
                /**
                 * @description What kind of source it is.
                 * @enum {string}
                 */
                kind: "event" | "artifact" | "tool_call" | "observation" | "outcome";
                /** @description A reference to the source. The id of a record: the content comes from that record. */
                ref: string;
                /** @description A digest of the source. */
                hash?: string;
                /** @description Who made the source. */
                created_by?: string;
                /**
                 * Format: date-time
                 * @description When the source was made.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
            }[];
            /** @description Who made the record from them. */
            created_by?: string;
        };
        /**
         * @example {
         *       "status": "ready",
         *       "parts": {
         *         "database": {
         *           "ready": true
         *         },
         *         "migrations": {
         *           "ready": true
         *         }
         *       }
         *     }
         */
        Readiness: {
            /** @constant */
            status: "ready";
            parts: {
                [key: string]: {
                    ready: boolean;
                    reason?: string;
                };
            };
        };
        /**
         * @example {
         *       "actor": "planner",
         *       "rationale": "it answered the question"
         *     }
         */
        Reason: {
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example it answered the question
             */
            rationale: string;
        };
        Record: {
            /** Format: uuid */
            id: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the record in full.
             * @enum {string}
             */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. */
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            /** @description Absent for a record without a scope, which every key may read. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags: string[];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the record last changed.
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at: string;
            /** @description Rises with each change; the ETag contains it. */
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description The newest 50 entries, oldest first, without those with very long `changes`: `/v1/records/{id}/audit` lists all. */
            audit_log: components["schemas"]["AuditEntry"][];
            /**
             * @description The layer of memory in which the record is.
             * @enum {string}
             */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /**
             * @description What kind of memory it is.
             * @enum {string}
             */
            memory_kind: "fact" | "procedure" | "narrative";
            /**
             * @description `active`: valid. `challenged`: in doubt. `invalidated`, `merged` and `superseded`: history.
             * @enum {string}
             */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @description The stored importance; `/explain` shows the present one with its parts. */
            importance: number;
            /** @description The worth of the content, whether it is used or not. */
            base_importance: number;
            /** @description How often the record was used or served. */
            access_count: number;
            /**
             * Format: date-time
             * @description When the record was last used or served.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /**
             * @description Who or what the content comes from: a less trusted source counts less.
             * @enum {string}
             */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description From -1 (bad) to 1 (good). Both raise the importance. */
            emotional_valence: number;
            /** @description How often other sources confirmed the record. */
            confirmation_count: number;
            /** @description Present while the record is forgotten. */
            forgotten?: {
                /**
                 * Format: date-time
                 * @description When it was forgotten.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description Why: `pruned`, `archived`, `budget` or `deleted`. */
                reason: string;
                /** @description Who forgot it. */
                actor: string;
                /**
                 * Format: uuid
                 * @description The run that forgot it.
                 */
                run_id?: string;
                /**
                 * Format: date-time
                 * @description Until when it can be restored.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
        };
        /**
         * @example {
         *       "records": [
         *         {
         *           "type": "semantic",
         *           "tags": [
         *             "preference"
         *           ],
         *           "payload": {
         *             "kind": "semantic",
         *             "subject": "user",
         *             "predicate": "prefers_language",
         *             "object": "Go"
         *           }
         *         }
         *       ]
         *     }
         */
        RecordBatch: {
            /** @description The records to store. */
            records: components["schemas"]["NewRecord"][];
            /**
             * @description true stores all records or none.
             * @default false
             */
            atomic?: boolean;
        };
        RecordListing: {
            items: components["schemas"]["SeenRecord"][];
            next_cursor?: string;
            /**
             * Format: date-time
             * @description The `updated_after` of the next poll. Present if this request had one; the same on every page. A client that uses it misses no change, but may see a change more than once.
             * @example 2026-03-28T09:30:00.000Z
             */
            next_updated_after?: string;
        };
        RecordPage: {
            items: components["schemas"]["SeenRecord"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "tags": [
         *         "preference",
         *         "editor"
         *       ]
         *     }
         */
        RecordPatch: {
            /** @description All tags of the record: they replace the present ones. null: none. */
            tags?: string[] | null;
            /** @description The new scope, which the key must have. null: no scope, which needs a key with all scopes. Records that were made from this record alone move with it, and records that a dream wrote from it and others are purged. */
            scope?: string | null;
            /** @description null: `MEMBRANE_DEFAULT_SENSITIVITY`. A higher one also applies to the records that were made from this one. A lower one needs the permission admin. */
            sensitivity?: ("public" | "low" | "medium" | "high" | "hyper") | null;
            /** @description How certain the content is. null: 1. */
            confidence?: number | null;
            /** @description How the record fades, and whether it may be forgotten. */
            lifecycle?: {
                /** @description How the salience falls and rises. A changed curve starts at the current salience. */
                decay?: {
                    /** @description null: as in the policy of the type. */
                    curve?: ("exponential" | "linear" | "custom" | "huber" | "elastic") | null;
                    /** @description null: as in the policy of the type. */
                    half_life_seconds?: number | null;
                    /** @description null: as in the policy of the type. */
                    min_salience?: number | null;
                    /** @description null: as in the policy of the type. */
                    max_age_seconds?: number | null;
                    /** @description null: as in the policy of the type. */
                    reinforcement_gain?: number | null;
                    /** @description The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience. */
                    max_salience?: number | null;
                };
                /** @description A pinned record neither fades nor is pruned; null: not pinned. Needs `lifecycle:write`. */
                pinned?: boolean | null;
                /** @description Who may forget the record; null: as in the policy of the type. A change of `never` needs `admin`. */
                deletion_policy?: ("auto_prune" | "manual_only" | "never") | null;
            };
            /** @description What kind of memory it is. null: the default of the type. */
            memory_kind?: ("fact" | "procedure" | "narrative") | null;
            /** @description What the content is worth. null: it is judged from the content. */
            base_importance?: number | null;
            /** @description From -1 (bad) to 1 (good); both raise the importance. null: 0. */
            emotional_valence?: number | null;
            /** @description Merged into the payload of a working or an entity record. */
            payload?: {
                [key: string]: unknown;
            };
        };
        /** @description The response to a write with a key without the permission records:read. */
        RecordReceipt: {
            /** Format: uuid */
            id: string;
            version: number;
        };
        /** @description A message that is one sensitivity level above the ceiling of the key: its text is hidden. */
        RedactedMessage: {
            /** Format: uuid */
            record_id: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            at: string;
            /** @description The place in the conversation: later messages have higher numbers, with gaps. Negative before 1970. */
            position: number;
            /** @constant */
            redacted: true;
        };
        /** @description What a key sees of a record that is one sensitivity level above its ceiling. */
        RedactedRecord: {
            /** Format: uuid */
            id: string;
            /**
             * @description The type of the record; it decides the form of the payload.
             * @enum {string}
             */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description A key needs at least this `max_sensitivity` to read the record in full.
             * @enum {string}
             */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            /** @description How certain the content is. */
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            /** @description Absent for a record without a scope, which every key may read. */
            scope?: string;
            /** @description Words by which records are found and filtered. */
            tags: string[];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at: string;
            /** @constant */
            redacted: true;
        };
        /**
         * @description A forgotten record that would have been among the first ten records of an answer.
         * @example {
         *       "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
         *       "type": "episodic",
         *       "scope": "project:alpha",
         *       "reason": "pruned",
         *       "rule": "curve",
         *       "run_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a12",
         *       "forgotten_at": "2026-03-20T09:30:00.000Z",
         *       "regretted_at": "2026-03-28T09:30:00.000Z",
         *       "times": 2
         *     }
         */
        Regret: {
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            scope?: string;
            /**
             * @description Why the record was forgotten: `pruned`, `archived`, `budget` or `deleted`.
             * @example pruned
             */
            reason: string;
            /**
             * @description The rule that decided it: `removal.rule` of `/explain`.
             * @example curve
             */
            rule: string;
            /**
             * Format: uuid
             * @description The run that forgot the record. Absent if a request forgot it.
             */
            run_id?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            forgotten_at: string;
            /**
             * Format: date-time
             * @description When a tested question last missed the record.
             * @example 2026-03-28T09:30:00.000Z
             */
            regretted_at: string;
            /** @description Number of tested questions that missed the record. */
            times: number;
        };
        RegretPage: {
            items: components["schemas"]["Regret"][];
            next_cursor?: string;
        };
        Relation: {
            /** @description How the source is related to the target, such as `supports`. */
            predicate: string;
            /**
             * Format: uuid
             * @description The id of the record at the other end.
             */
            target_id: string;
            /** @description How strong the relation is. Default 1. */
            weight: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
        };
        /** @description A relation between two records. */
        RelationEdge: {
            /**
             * Format: uuid
             * @description The record where the relation starts.
             */
            source_id: string;
            /** @description How the source is related to the target, such as `supports`. */
            predicate: string;
            /**
             * Format: uuid
             * @description The id of the record at the other end.
             */
            target_id: string;
            /** @description How strong the relation is. Default 1. */
            weight: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
        };
        RelationEdgePage: {
            items: components["schemas"]["RelationEdge"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "text": "The team writes Rust.",
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         * @example {
         *       "record": {
         *         "type": "semantic",
         *         "payload": {
         *           "kind": "semantic",
         *           "subject": "team",
         *           "predicate": "writes",
         *           "object": "Rust",
         *           "evidence": [
         *             {
         *               "source_type": "observation",
         *               "source_id": "meeting-14",
         *               "timestamp": "2026-03-28T09:30:00.000Z"
         *             }
         *           ]
         *         }
         *       },
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        Replacement: {
            record?: components["schemas"]["NewRecord"];
            /** @description Instead of `record`, for a fact: what is true now, as a whole sentence. The new fact has the subject of the old one, and links to the entities that the text names. */
            text?: string;
            /**
             * Format: date-time
             * @description Only with `text`: when it became true. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            occurred_at?: string;
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        /**
         * @example {
         *       "actor": "planner",
         *       "rationale": "it is needed after all"
         *     }
         */
        Restoration: {
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example no longer true
             */
            rationale: string;
        };
        Retrieval: {
            /** @description The records: roots first, then by hop, then by score. */
            nodes: components["schemas"]["RetrievedNode"][];
            /** @description The followed relations between the returned records. */
            edges: components["schemas"]["RelationEdge"][];
            root_ids: string[];
            selection?: components["schemas"]["Selection"];
            suppressed?: components["schemas"]["Suppressed"][];
        };
        /**
         * @example {
         *       "task_descriptor": "How do we deploy the billing service?",
         *       "root_limit": 5
         *     }
         */
        RetrieveQuery: {
            /** @description The task: a sentence, a message, or a copied chat (`User: …`, `Assistant: …`, or a JSON list of messages), whose last turn of the person is what is asked. A record need not contain all of its words. Sentences beside a question count a third. Quotes and a leading minus mean the same as in a web search, unless the task has more than 50 words. In a question, words in quotes are searched like all others. Without a task the most salient records are returned. */
            task_descriptor?: string;
            /** @description Narrows what this request can see. It cannot show more than the key can see. */
            trust?: {
                /**
                 * @description Only records up to this sensitivity are read in full.
                 * @enum {string}
                 */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. Records without a scope are found in any case. */
                scopes?: string[];
                /** @description Who reads, for the access log. Default: the name of the key. */
                actor_id?: string;
            };
            /** @description Only records of these types. */
            memory_types?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph")[];
            /**
             * @description `facts_only`: records of the kind `fact`. `facts_plus_rules`: facts and procedures. `full_context`: every kind.
             * @default full_context
             * @enum {string}
             */
            mode?: "facts_only" | "facts_plus_rules" | "full_context";
            /** @description Only records in these layers. */
            layers?: ("working" | "episodic" | "semantic" | "procedural" | "codebase")[];
            /** @description Only records of these scopes. Records without a scope are left out. */
            scopes?: string[];
            /** @description Only records with all of these tags. */
            tags?: string[];
            /** @description Only records with at least this salience, now or at `as_of`. */
            min_salience?: number;
            /** @description Only records with at least this importance. */
            min_importance?: number;
            /** @description Also records with these statuses, besides active ones. */
            include_status?: ("active" | "challenged" | "invalidated" | "merged" | "superseded")[];
            /**
             * @description Also timeboxed facts that do not hold now, or at `as_of`.
             * @default false
             */
            include_expired?: boolean;
            /**
             * Format: date-time
             * @description A past time: the answer is as it would have been then. Later records, relations and log entries are left out. Status, revision state and validity are those of that time. Salience is reconstructed from the log, or from the present anchor if the log is not enough. Everything else is as it is now. Forgotten records stay excluded.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of?: string;
            /**
             * @description The highest number of roots: records that the search itself finds.
             * @default 10
             */
            root_limit?: number;
            /**
             * @description The highest number of records in the answer.
             * @default 25
             */
            node_limit?: number;
            /**
             * @description The highest number of relations in the answer.
             * @default 100
             */
            edge_limit?: number;
            /**
             * @description How many relations in a row are followed from each root; 0 for none.
             * @default 1
             */
            max_hops?: number;
            /**
             * @description Whether the returned records count as served: each at most once for each key and UTC day.
             * @default true
             */
            record_access?: boolean;
            /**
             * @description Adds `signals` to each record, and `suppressed`: matching records that were withheld.
             * @default false
             */
            explain?: boolean;
            /**
             * @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at.
             * @default false
             */
            mask_secrets?: boolean;
            /** @description Replaces the vector of `task_descriptor`. It must come from the serving model and have its number of dimensions. */
            query_embedding?: number[];
        };
        RetrievedNode: {
            record: components["schemas"]["SeenRecord"];
            /** @description Whether the search itself found the record. */
            root: boolean;
            /** @description How many relations lead from a root to the record. */
            hop: number;
            /** @description The product of `fused` and the factors in `signals`, but at least the score of an older record that says nearly the same. */
            score: number;
            signals?: components["schemas"]["Signals"];
        };
        /**
         * @example {
         *       "to_version": 1,
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        Reversal: {
            /** @description The version that the record had before its last revision. */
            to_version?: number;
            /**
             * Format: uuid
             * @description The `operation_id` of the last revision, from the audit log of the record.
             */
            operation_id?: string;
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        Revised: {
            record: components["schemas"]["WrittenRecord"];
            /** @description The revised records with their new versions. */
            sources: {
                /** Format: uuid */
                id: string;
                version: number;
            }[];
        };
        /**
         * @example {
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        RevisionReason: {
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        RunChange: {
            /** Format: uuid */
            record_id: string;
            /** @description What happened to the record. decay: `prune`, `forget` (for a budget), `promote`. consolidate: `create`, `reinforce`, `compress`. dream: `archive`, `create`, `supersede`, `merge`, `unmerge`, `candidate`, `relate`, `probe_challenge`, `drift_challenge`, `drift_invalidate`, `drift_restore`. purge: `purge`. compress: `reduce`. undo: `undo`, `kept`. Application of a plan: `skipped`. Plans only: `rescore`. Any job: `failed`, for a record that failed and was skipped. */
            action: string;
            /** @description The values before the change. */
            before?: {
                [key: string]: unknown;
            };
            /** @description The values after the change. */
            after?: {
                [key: string]: unknown;
            };
            /** @description The reason, in words. */
            note?: string;
            /**
             * @description The record is one sensitivity level above the ceiling of the key, so its values are not shown.
             * @constant
             */
            redacted?: true;
        };
        RunChangePage: {
            items: components["schemas"]["RunChange"][];
            next_cursor?: string;
            /** @description The number of changes of records that the key may not see. Only for a key with `admin`. */
            hidden?: number;
        };
        /**
         * @example {
         *       "job": "decay",
         *       "interval": "1h",
         *       "enabled": true,
         *       "mode": "run",
         *       "next_at": "2026-03-28T10:30:00.000Z"
         *     }
         */
        Schedule: {
            job: string;
            /** @example 1h */
            interval: string;
            /** @description Whether the job runs by itself. */
            enabled: boolean;
            /**
             * @description What the schedule starts. `run`: a run. `plan`: a plan, which waits until it is applied.
             * @enum {string}
             */
            mode: "run" | "plan";
            /**
             * Format: date-time
             * @description When a run over all records last succeeded, whether it was requested or scheduled.
             * @example 2026-03-28T09:30:00.000Z
             */
            last_success_at?: string;
            /**
             * Format: date-time
             * @description When the job runs next. Absent while the schedule is off.
             * @example 2026-03-28T09:30:00.000Z
             */
            next_at?: string;
        };
        /**
         * @example {
         *       "interval": "15m"
         *     }
         */
        ScheduleChoice: {
            /**
             * @description The time between two runs, from 10s to 3650d, such as 90s, 15m, 1h or 30d.
             * @example 1h
             */
            interval?: string;
            /** @description Whether the job runs by itself. */
            enabled?: boolean;
            /**
             * @description What the schedule starts. `run`: a run. `plan`: a plan, which waits until it is applied.
             * @enum {string}
             */
            mode?: "run" | "plan";
        };
        SchedulePage: {
            items: components["schemas"]["Schedule"][];
            next_cursor?: string;
        };
        SeenEntity: components["schemas"]["EntityRecord"] | components["schemas"]["RedactedRecord"];
        SeenMessage: components["schemas"]["ConversationMessage"] | components["schemas"]["RedactedMessage"];
        SeenRecord: components["schemas"]["Record"] | components["schemas"]["RedactedRecord"];
        Selection: {
            /** @description The competences and plan graphs among the roots, best first. */
            selected: string[];
            /** @description How clearly the best one is ahead of the second. */
            confidence: number;
            /** @description Whether `confidence` is too low to rely on the best one. */
            needs_more: boolean;
            scores: {
                [key: string]: number;
            };
        };
        /** @description A fact: subject, predicate, object. */
        SemanticPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "semantic";
            /** @description What the fact is about: a name, or the id of an entity. */
            subject: string;
            /** @description What is stated about the subject, such as `prefers_language`. */
            predicate: string;
            /** @description The value of the predicate: any JSON value. */
            object: unknown;
            /** @description When the fact holds. Default of a new fact: always (`global`). */
            validity: {
                /**
                 * @description `global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`.
                 * @enum {string}
                 */
                mode: "global" | "conditional" | "timeboxed";
                /** @description The conditions of a conditional fact, by name. */
                conditions?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @description When a timeboxed fact begins to hold. Absent: it always held.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                start?: string;
                /**
                 * Format: date-time
                 * @description When a timeboxed fact ends, after its `start`. Absent: it has no end.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                end?: string;
            };
            /** @description Where the fact comes from. */
            evidence: {
                /**
                 * @description The kind of source.
                 * @enum {string}
                 */
                source_type: "event" | "tool" | "observation" | "human";
                /** @description The id of the source. The id of a record: the fact comes from that record. */
                source_id: string;
                /**
                 * Format: date-time
                 * @description When the source stated it.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp: string;
            }[];
            /**
             * @description What happens to this fact if a capture states another object for its subject and predicate. `replace`: the new fact supersedes it. `fork`: both stay. `contest` (default): both stay, and this fact is contested. Without a policy, facts of a list, such as what a person `likes`, `knows` or `speaks`, all stay.
             * @enum {string}
             */
            revision_policy?: "replace" | "fork" | "contest";
            /** @description Written by revisions. A new record may only state `{"status": "active"}`. */
            revision?: {
                /**
                 * Format: uuid
                 * @description The fact that this one replaced.
                 */
                supersedes?: string;
                /**
                 * Format: uuid
                 * @description The fact that replaced this one.
                 */
                superseded_by?: string;
                /**
                 * @description The state of the fact: `retracted` if it was retracted, and also if another fact replaced it. The `status` of the record distinguishes them.
                 * @enum {string}
                 */
                status: "active" | "contested" | "retracted";
            };
        };
        Signals: {
            /** @description The channels that found the record; empty for a record that was found over a relation. `text` also counts words of a near meaning, with less weight. */
            channels: {
                /** @enum {string} */
                channel: "vector" | "text" | "graph" | "time" | "salience";
                rank: number;
                weight: number;
                contribution: number;
            }[];
            /** @description The sum of the contributions, or the share of the score that came over the relation. */
            fused: number;
            /** @description More than 1 if the record is from a time that the task names, such as `in May 2023`. */
            time_factor: number;
            /** @description Less than 1 for a message of another speaker if the task names a speaker, and for a message of an assistant if the task is about the person who asks, such as `What did I buy?`. More than 1 for a message of an assistant if the task is about what it told, such as `Which hotel did you recommend?`. */
            speaker_factor: number;
            /** @description Less than 1 for an entity of which only the name and the kind are known. */
            name_factor: number;
            /** @description Less than 1 for an episode that was captured with a fact and nothing else, because the fact is a record of its own. */
            evidence_factor: number;
            /** @description More than 1 for an instruction that holds from now on, such as `Always use metric units`, for a preference, and for a short message in which a person says something of themselves, such as `I live in Canada`, if the task is about the person who asks or asks for help, such as `What should I cook?`. */
            guidance_factor: number;
            /** @description Less than 1 for a message that only asks, such as `How was the trip?`, unless the task is about what was asked. */
            asking_factor: number;
            salience_factor: number;
            importance_factor: number;
            recency_factor: number;
            /** @description If the task asks several questions, makes their scores comparable: smaller the further down the record is among those for its question. Otherwise 1. */
            question_factor: number;
            /**
             * Format: uuid
             * @description The older record that says nearly the same and whose score this record got.
             */
            raised_by?: string;
            via?: {
                /** Format: uuid */
                source_id: string;
                predicate: string;
                weight: number;
            };
        };
        /**
         * @description What to compare with. Needs exactly one of `record_id` and `text`.
         * @example {
         *       "record_id": "0197b9a0-0000-7000-8000-000000000001",
         *       "limit": 5
         *     }
         * @example {
         *       "text": "deploys of the billing service are frozen in December",
         *       "limit": 5
         *     }
         */
        SimilarQuery: {
            /**
             * Format: uuid
             * @description Finds records that are similar to this record. The record itself is not returned.
             */
            record_id?: string;
            /** @description Finds records that are similar to this text. */
            text?: string;
            /**
             * @description The highest number of records in the answer.
             * @default 10
             */
            limit?: number;
            /** @description Narrows what this request can see. It cannot show more than the key can see. */
            trust?: {
                /**
                 * @description Only records up to this sensitivity are read in full.
                 * @enum {string}
                 */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. Records without a scope are found in any case. */
                scopes?: string[];
                /** @description Who reads, for the access log. Default: the name of the key. */
                actor_id?: string;
            };
        };
        SimilarRecord: {
            record: components["schemas"]["Record"];
            /** @description The cosine of the two vectors. */
            similarity: number;
        };
        SimilarRecords: {
            /** @description The most similar record first. */
            items: components["schemas"]["SimilarRecord"][];
        };
        SimulatedPoint: {
            /** @description The half-life in seconds or the limit of the budget; null for policies. */
            value: number | null;
            /** @description How many records would have been forgotten. */
            forgotten: number;
            /** @description The approximate size of these records as JSON. */
            bytes_saved: number;
            /** @description How many of these records were shown, used or missed afterwards. */
            regretted: number;
        };
        /** @description A message without a text and without a call of a tool, such as an image, or the prompt of an agent. It is not stored. */
        SkippedMessage: {
            /** @description The id of the message, unique in the conversation. */
            message_id?: string;
            /** @constant */
            status: "skipped";
        };
        StatusChange: {
            /** @enum {string} */
            old: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @enum {string} */
            new: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @description Empty for an erased record. */
            reason: string;
            actor: string;
            /** @description What changed the status: `manual` for a request, otherwise the operation of the service. */
            step: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            changed_at: string;
            via?: components["schemas"]["Via"];
        };
        StatusHistory: {
            items: components["schemas"]["StatusChange"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "as_of": "2026-03-28T09:30:00.000Z",
         *       "is_sampled": false,
         *       "total_records": 1200,
         *       "records_by_type": {
         *         "episodic": 700,
         *         "working": 20,
         *         "entity": 80,
         *         "semantic": 370,
         *         "competence": 20,
         *         "plan_graph": 10
         *       },
         *       "active_records": 1150,
         *       "pinned_records": 12,
         *       "avg_salience": 0.41,
         *       "avg_confidence": 0.83,
         *       "salience_distribution": {
         *         "0.0-0.2": 400,
         *         "0.2-0.4": 250,
         *         "0.4-0.6": 200,
         *         "0.6-0.8": 200,
         *         "0.8-1.0": 150
         *       },
         *       "records_by_layer": {
         *         "working": 20,
         *         "episodic": 700,
         *         "semantic": 450,
         *         "procedural": 30,
         *         "codebase": 0
         *       },
         *       "records_by_status": {
         *         "active": 1150,
         *         "challenged": 2,
         *         "invalidated": 8,
         *         "merged": 10,
         *         "superseded": 30
         *       },
         *       "importance_distribution": {
         *         "0.0-0.2": 100,
         *         "0.2-0.4": 450,
         *         "0.4-0.6": 400,
         *         "0.6-0.8": 200,
         *         "0.8-1.0": 50
         *       },
         *       "created_by_day": [
         *         {
         *           "from": "2026-03-27T09:30:00.000Z",
         *           "records": 24
         *         }
         *       ],
         *       "fading_by_day": [
         *         {
         *           "from": "2026-03-28T09:30:00.000Z",
         *           "records": 6
         *         }
         *       ],
         *       "total_audit_entries": 3400,
         *       "memory_growth_rate": 0.02,
         *       "retrieval_usefulness": 0.31,
         *       "competence_success_rate": 0.9,
         *       "plan_reuse_frequency": 3.5,
         *       "revision_rate": 0.04,
         *       "regret": {
         *         "rate": 0.03,
         *         "by_reason": {
         *           "pruned": 0.04,
         *           "deleted": 0.01
         *         },
         *         "by_type": {
         *           "episodic": 0.03
         *         },
         *         "by_age": {
         *           "7d_to_30d": 0.05,
         *           "30d_to_90d": 0.02
         *         }
         *       }
         *     }
         */
        StoreMetrics: {
            /**
             * Format: date-time
             * @description When the figures were computed. They are cached for five seconds.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of: string;
            /** @description Whether the figures that are marked as sampled come from a sample, because there are many records. */
            is_sampled: boolean;
            /** @description Records that are not forgotten. */
            total_records: number;
            /** @description The number of records of each type. */
            records_by_type: {
                episodic: number;
                working: number;
                entity: number;
                semantic: number;
                competence: number;
                plan_graph: number;
            };
            /** @description The number of records in each layer. */
            records_by_layer: {
                working: number;
                episodic: number;
                semantic: number;
                procedural: number;
                codebase: number;
            };
            /** @description The number of records with each status. */
            records_by_status: {
                active: number;
                challenged: number;
                invalidated: number;
                merged: number;
                superseded: number;
            };
            /** @description Records with the status `active`. */
            active_records: number;
            /** @description Pinned records, which do not fade. */
            pinned_records: number;
            /** @description Mean salience (sampled); null without records. */
            avg_salience: number | null;
            /** @description Mean confidence (sampled); null without records. */
            avg_confidence: number | null;
            /** @description Records by salience (sampled); the last band includes those above 1. */
            salience_distribution: {
                "0.0-0.2": number;
                "0.2-0.4": number;
                "0.4-0.6": number;
                "0.6-0.8": number;
                "0.8-1.0": number;
            };
            /** @description Records by importance (sampled). */
            importance_distribution: {
                "0.0-0.2": number;
                "0.2-0.4": number;
                "0.4-0.6": number;
                "0.6-0.8": number;
                "0.8-1.0": number;
            };
            /** @description Records created in each of the last 30 periods of 24 hours; the last one ends now. */
            created_by_day: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                from: string;
                records: number;
            }[];
            /** @description Active and challenged records that fade away in each of the next 7 periods of 24 hours, if nothing happens to them. Records that are due already are in the first period. */
            fading_by_day: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                from: string;
                records: number;
            }[];
            /** @description Entries in the audit logs of these records (sampled). */
            total_audit_entries: number;
            /** @description The share of records created in the last 24 hours; null without records. */
            memory_growth_rate: number | null;
            /** @description The share of the accesses that used a record; the others only returned it in an answer (sampled). null without accesses. */
            retrieval_usefulness: number | null;
            /** @description The share of uses of competences that succeeded (sampled); null when none was used. */
            competence_success_rate: number | null;
            /** @description How often a plan graph was executed on average (sampled); null without plan graphs. */
            plan_reuse_frequency: number | null;
            /** @description The share of records that a revision superseded, merged or invalidated; null without records. */
            revision_rate: number | null;
            /** @description The share of the forgotten records that would have been among the first ten records of an answer; 0 if nothing was forgotten. At most the last 100,000 records that are not purged yet are counted. `GET /v1/regrets` lists the regretted ones. */
            regret: {
                rate: number;
                /** @description The share by the reason of the forgetting: `pruned`, `archived`, `budget`, `deleted`. */
                by_reason: {
                    [key: string]: number;
                };
                /** @description The share by the type of the record. */
                by_type: {
                    [key: string]: number;
                };
                /** @description The share by the age of the record when it was forgotten: `under_1d`, `1d_to_7d`, `7d_to_30d`, `30d_to_90d`, `over_90d`. */
                by_age: {
                    [key: string]: number;
                };
            };
        };
        /**
         * @description A message of the AI SDK, as Mastra stores it in the content. Its `parts` are read.
         * @example {
         *       "format": 2,
         *       "parts": [
         *         {
         *           "type": "text",
         *           "text": "In eu-west-1 since March."
         *         }
         *       ]
         *     }
         */
        StoredContent: {
            /** @description The parts of the message. */
            parts: components["schemas"]["MessagePart"][];
        };
        StoredMessage: {
            /** @description The id of the message, unique in the conversation. */
            message_id: string;
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            status: "created" | "unchanged";
        };
        /**
         * @example {
         *       "record": {
         *         "type": "semantic",
         *         "payload": {
         *           "kind": "semantic",
         *           "subject": "team",
         *           "predicate": "writes",
         *           "object": "Rust",
         *           "evidence": [
         *             {
         *               "source_type": "observation",
         *               "source_id": "meeting-14",
         *               "timestamp": "2026-03-28T09:30:00.000Z"
         *             }
         *           ]
         *         }
         *       },
         *       "actor": "planner",
         *       "rationale": "the team has moved on"
         *     }
         */
        Succession: {
            record: components["schemas"]["NewRecord"];
            /**
             * @description Who makes the change, for the audit log.
             * @example planner
             */
            actor: string;
            /**
             * @description Why. It is stored in the audit log.
             * @example the team has moved on
             */
            rationale: string;
        };
        /** @description A matching record that was withheld, and the rule that withheld it. */
        Suppressed: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            reason: "retracted" | "status" | "validity" | "min_salience";
            /** @enum {string} */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
        };
        SurprisePreview: {
            /** @description 0: repeats what is known; 1: unlike anything known. */
            score: number;
            /** @description The change of the base importance, which stays between 0.05 and 1. */
            delta: number;
            base_before: number;
            /** @description The base importance after the change. */
            base_importance: number;
            /** @description The most similar record first. */
            neighbours: {
                /** Format: uuid */
                id: string;
                similarity: number;
            }[];
            /** Format: uuid */
            duplicate_of?: string;
        };
        /**
         * @example {
         *       "text": "deploys of the billing service are frozen in December"
         *     }
         */
        SurpriseQuery: {
            /** @description The text of the new record. */
            text: string;
            /** @description The scope whose records are compared. A scope that the key does not have contains nothing. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /** @description The base importance of the new record. Default: judged from the text, as for a fact. */
            base_importance?: number;
        };
        /**
         * @example {
         *       "id": "acme",
         *       "status": "active",
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "schema": "t_abcdefghijkl",
         *       "migrated": true
         *     }
         */
        Tenant: {
            id: string;
            /**
             * @description `creating`: the creation on a server of its own is not finished; repeat the POST if you got no answer. `active`: it can be used. `suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if you got no answer.
             * @enum {string}
             */
            status: "creating" | "active" | "suspended" | "dropping";
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The PostgreSQL schema with the data of the tenant, for `pg_dump` and similar tools. */
            schema: string;
            /** @description `false`: the schema lacks migrations of this version, and every request to the tenant gets 503 `not_ready`. Workers migrate an active tenant within a minute; if they cannot, their log says why. `npm run migrate` also migrates a suspended one. */
            migrated: boolean;
            /** @description The database of the tenant, if it is on a server of its own. Absent for the main database. User and password are never shown. */
            database?: {
                /** @example db-7.example */
                host: string;
                /** @example 5432 */
                port: number;
                /** @example acme */
                name: string;
            };
        };
        /**
         * @example {
         *       "actor": "operations",
         *       "rationale": "the invoice is overdue"
         *     }
         */
        TenantDecision: {
            /**
             * @description Who makes the change, for the log of the tenants.
             * @example operations
             */
            actor: string;
            /**
             * @description Why. It is stored in the log of the tenants.
             * @example the contract has ended
             */
            rationale: string;
        };
        /**
         * @example {
         *       "database_url": "postgres://membrane:secret@db-7.example:5432/acme",
         *       "actor": "operations",
         *       "rationale": "it has outgrown the main server"
         *     }
         */
        TenantMove: {
            /** @description The database in which the data of the tenant are from now on. */
            database_url: string | null;
            /** @description true: the database that the tenant leaves is lost, so the copy is not compared with it. Rows that the copy lacks are lost. */
            abandon?: boolean;
            /**
             * @description Who makes the change, for the log of the tenants.
             * @example operations
             */
            actor: string;
            /**
             * @description Why. It is stored in the log of the tenants.
             * @example the contract has ended
             */
            rationale: string;
        };
        TenantPage: {
            items: components["schemas"]["Tenant"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "id": "acme",
         *       "actor": "operations",
         *       "dropped_at": "2026-03-28T09:30:00.000Z",
         *       "removed": {
         *         "records": 120,
         *         "relations": 80,
         *         "audit_entries": 200,
         *         "runs": 4,
         *         "keys": 2
         *       }
         *     }
         */
        TenantReceipt: {
            id: string;
            actor: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            dropped_at: string;
            /** @description How many rows of each kind were removed. Empty if the data stay on a lost server, or if tables were missing. */
            removed: {
                [key: string]: number;
            };
            /** @description With `abandon`: where the data of the tenant still are. */
            left?: {
                /** @example db-7.example */
                host: string;
                /** @example 5432 */
                port: number;
                /** @example acme */
                name: string;
                schema: string;
            };
        };
        /**
         * @example {
         *       "text": "The staging database moves to Frankfurt in June.",
         *       "about": "staging",
         *       "tags": [
         *         "infra"
         *       ]
         *     }
         */
        TextNote: {
            /** @description What to remember, in plain words. */
            text: string;
            /** @description What the text is about. Default: the first known entity that the text names, or the scope if the text names none. */
            about?: string;
            /** @description The scope of the record. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
            scope?: string;
            /** @description Tags of the record. */
            tags?: string[];
            /**
             * Format: date-time
             * @description When it happened: the time of the evidence of the stored fact. `created_at` of the record is always the time of the call. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            occurred_at?: string;
            /**
             * @description A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).
             * @enum {string}
             */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
        };
        /** @description A mark that some content was erased from a scope. The same content cannot be stored there again. */
        Tombstone: {
            /** Format: uuid */
            id: string;
            /** @description The scope in which the content was erased; absent for none. */
            scope?: string;
            /**
             * Format: date-time
             * @description When the content was erased.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description Who erased it. */
            actor: string;
            via?: components["schemas"]["Via"];
        };
        TombstonePage: {
            items: components["schemas"]["Tombstone"][];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "status": "challenged",
         *       "reason": "the source took it back",
         *       "actor": "reviewer"
         *     }
         */
        Transition: {
            /**
             * @description The new status.
             * @enum {string}
             */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /**
             * @description Why. It is stored in the audit log.
             * @example the source took it back
             */
            reason: string;
            /**
             * @description Who makes the change, for the audit log.
             * @example reviewer
             */
            actor: string;
        };
        /**
         * @description A message with a `type`: an item of OpenAI's Responses API, a message that Anthropic's API returned, or a message of LangChain as JSON. Its members that a `NewMessage` has too are read as there, and its other members are not read. Without a role, a call and a result are stored as in a list of parts, and any other item, such as `reasoning`, is `skipped`.
         * @example {
         *       "type": "function_call_output",
         *       "call_id": "call_1",
         *       "output": "18 degrees"
         *     }
         */
        TypedMessage: {
            /** @description What it is, such as `message`, `function_call`, `function_call_output`, `reasoning`, `human` or `ai`. */
            type: string;
            /** @description The id of the message, unique in the conversation. */
            id?: unknown;
            /** @description Who writes. LangChain says it by the `type` instead: `human`, `ai`, `tool` or `system`. */
            role?: unknown;
            /** @description The name of the writer, or of the tool that is called. */
            name?: unknown;
            /** @description What is said: a text, or a list of parts. */
            content?: unknown;
            /** @description The id of the call, in a call and in its result. */
            call_id?: unknown;
            /** @description The arguments of a call, usually as a text of JSON. */
            arguments?: unknown;
            /** @description The arguments of a call that has them under this name. */
            input?: unknown;
            /** @description The result of a call: a text, or a list of parts. */
            output?: unknown;
            /** @description The calls of tools in a message. */
            tool_calls?: unknown;
            /** @description The call whose result `content` is. */
            tool_call_id?: unknown;
            /** @description When it was written. Default: now. */
            at?: unknown;
            /** @description An object. Stored, but not searched. */
            metadata?: unknown;
        };
        /**
         * @description The key that made the change, written by the service; `actor` is the name that the request gave. Absent if a job made the change by itself, and in entries of versions that did not store the key.
         * @example {
         *       "key_id": "01981b7e-0000-7000-8000-000000000001",
         *       "key_name": "agent"
         *     }
         */
        Via: {
            /** @description The id of the key, `root` or `anonymous`. */
            key_id?: string;
            /** @description The name of the key at that time. */
            key_name?: string;
            /** @description The key that imported the entry. All other members of the entry come from the imported line. */
            imported_by?: {
                /** @description The id of the key, `root` or `anonymous`. */
                key_id: string;
                /** @description The name of the key at that time. */
                key_name: string;
            };
        };
        /** @description The resumable state of a task. */
        WorkingPayload: {
            /**
             * @description The same as the `type` of the record.
             * @constant
             */
            kind: "working";
            /** @description The id of the task or session. A later capture with the same id updates the record. */
            thread_id: string;
            /**
             * @description The state of the task.
             * @enum {string}
             */
            state: "planning" | "executing" | "blocked" | "waiting" | "done";
            /** @description What holds for the task. */
            active_constraints: {
                /** @description The kind of constraint. */
                type: string;
                /** @description The name of the constraint. */
                key: string;
                /** @description Any JSON value. */
                value: unknown;
                /** @description Whether the constraint must hold. */
                required: boolean;
            }[];
            /** @description What to do next. */
            next_actions: string[];
            /** @description What is not known yet. */
            open_questions: string[];
            /** @description The task so far, in words. */
            context_summary?: string;
        };
        /** @description Weights by which the base importance of a new record is judged. */
        WorthModel: {
            id: string;
            /**
             * @description `shipped`: the weights come with the release.
             * @enum {string}
             */
            source: "shipped";
            /** @description Whether new records are judged by these weights. */
            in_force: boolean;
            /** @description The number of uses of this store to which the weights were fitted. */
            uses: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
        };
        /**
         * @example {
         *       "actor": "planner",
         *       "rationale": "back to the weights of the release"
         *     }
         */
        WorthModelChoice: {
            /** @description Has no effect, because no other model can replace the one in force. */
            pinned?: boolean;
            /** @description Required, but not stored, because nothing changes. */
            actor: string;
            /** @description Required, but not stored, because nothing changes. */
            rationale: string;
        };
        WorthModelPage: {
            items: components["schemas"]["WorthModel"][];
            next_cursor?: string;
        };
        WrittenConversation: components["schemas"]["Conversation"] | components["schemas"]["ConversationReceipt"];
        WrittenRecord: components["schemas"]["Record"] | components["schemas"]["RecordReceipt"];
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "alive"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    scrapeMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The series, in the text format of Prometheus. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process can serve requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "parts": {
                     *         "database": {
                     *           "ready": true
                     *         },
                     *         "migrations": {
                     *           "ready": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    capture: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source": "auth-agent",
                 *       "source_kind": "event",
                 *       "content": {
                 *         "ref": "thread-1:turn-7",
                 *         "text": "Refactored auth middleware and verified package tests"
                 *       },
                 *       "reason_to_remember": "Keep auth refactor context",
                 *       "summary": "Refactored auth middleware",
                 *       "tags": [
                 *         "auth"
                 *       ],
                 *       "sensitivity": "low"
                 *     }
                 */
                "application/json": components["schemas"]["NewCapture"];
            };
        };
        responses: {
            /** @description The stored records and relations. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "primary_record": {
                     *         "id": "0197b9a0-0000-7000-8000-000000000001",
                     *         "version": 1
                     *       },
                     *       "created_records": [
                     *         {
                     *           "id": "0197b9a0-0000-7000-8000-000000000001",
                     *           "version": 1
                     *         },
                     *         {
                     *           "id": "0197b9a0-0000-7000-8000-000000000002",
                     *           "version": 1
                     *         }
                     *       ],
                     *       "edges": [
                     *         {
                     *           "source_id": "0197b9a0-0000-7000-8000-000000000002",
                     *           "predicate": "derived_from",
                     *           "target_id": "0197b9a0-0000-7000-8000-000000000001",
                     *           "weight": 1,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "deduplicated": false,
                     *       "fact": {
                     *         "outcome": "created",
                     *         "record_id": "0197b9a0-0000-7000-8000-000000000002"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Captured"];
                };
            };
        };
    };
    buildContext: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "task_descriptor": "How do we deploy the billing service?",
                 *       "max_tokens": 800
                 *     }
                 */
                "application/json": components["schemas"]["ContextQuery"];
            };
        };
        responses: {
            /** @description The text and the records in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "text": "text",
                     *       "token_estimate": 0,
                     *       "items": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "ref": "9a1c2b",
                     *           "kind": "profile",
                     *           "tokens": 1,
                     *           "quoted": false
                     *         }
                     *       ],
                     *       "missing_words": [
                     *         "CFO",
                     *         "penguins"
                     *       ],
                     *       "omitted": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "reason": "budget"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PromptContext"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /** @description Only conversations of this scope. */
                scope?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of conversations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "support-4711",
                     *           "messages": 0,
                     *           "speakers": [
                     *             {
                     *               "name": "text",
                     *               "messages": 1
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConversationPage"];
                };
            };
        };
    };
    readConversation: {
        parameters: {
            query?: {
                /** @description The scope of the conversation. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
                scope?: string;
                /** @description true: the conversation without a scope, for a key that is bound to scopes. */
                unscoped?: boolean;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures of the conversation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "support-4711",
                     *       "messages": 0,
                     *       "speakers": [
                     *         {
                     *           "name": "text",
                     *           "messages": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Conversation"];
                };
            };
        };
    };
    deleteConversation: {
        parameters: {
            query: {
                /** @description The scope of the conversation. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
                scope?: string;
                /** @description true: the conversation without a scope, for a key that is bound to scopes. */
                unscoped?: boolean;
                /** @description Who makes the change, for the audit log. */
                actor: string;
                /** @description Why. It is stored in the audit log. */
                rationale: string;
                /** @description The `next_cursor` of the previous answer: continues after its messages, those that were kept included. */
                cursor?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result for each message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ForgottenMessages"];
                };
            };
        };
    };
    eraseConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "privacy-team",
                 *       "rationale": "asked by the customer"
                 *     }
                 */
                "application/json": components["schemas"]["ConversationErasure"];
            };
        };
        responses: {
            /** @description The result for each message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ErasedMessages"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description The scope of the conversation. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
                scope?: string;
                /** @description true: the conversation without a scope, for a key that is bound to scopes. */
                unscoped?: boolean;
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "message_id": "text",
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "role": "text",
                     *           "content": "text",
                     *           "at": "2026-03-28T09:30:00.000Z",
                     *           "position": -9007199254740991
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
        };
    };
    appendMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of the conversation, unique in its scope.
                 * @example support-4711
                 */
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "messages": [
                 *         {
                 *           "id": "m1",
                 *           "role": "user",
                 *           "name": "Ada",
                 *           "content": "Which region does billing run in?"
                 *         },
                 *         {
                 *           "id": "m2",
                 *           "role": "assistant",
                 *           "content": "In eu-west-1 since March."
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["NewMessages"];
            };
        };
        responses: {
            /** @description The result for each message. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "message_id": "text",
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "status": "created"
                     *         }
                     *       ],
                     *       "conversation": {
                     *         "id": "support-4711",
                     *         "messages": 0,
                     *         "speakers": [
                     *           {
                     *             "name": "text",
                     *             "messages": 1
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AppendedMessages"];
                };
            };
        };
    };
    lookUpEntities: {
        parameters: {
            query: {
                /**
                 * @description A name or alias, in any case and spacing. Or an exact identifier, alone or as `namespace:value`.
                 * @example Orion
                 */
                term: string;
                /** @description Only entities of this scope. */
                scope?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entities. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "sensitivity": "public",
                     *           "confidence": 0,
                     *           "salience": 0,
                     *           "tags": [
                     *             "text"
                     *           ],
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "updated_at": "2026-03-28T09:30:00.000Z",
                     *           "version": 1,
                     *           "lifecycle": {
                     *             "decay": {
                     *               "curve": "exponential",
                     *               "half_life_seconds": 1,
                     *               "min_salience": 0,
                     *               "max_age_seconds": 0,
                     *               "reinforcement_gain": 0,
                     *               "max_salience": 1
                     *             },
                     *             "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *             "pinned": false,
                     *             "deletion_policy": "auto_prune"
                     *           },
                     *           "provenance": {
                     *             "sources": [
                     *               {
                     *                 "kind": "event",
                     *                 "ref": "text"
                     *               }
                     *             ]
                     *           },
                     *           "relations": [
                     *             {
                     *               "predicate": "text",
                     *               "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *               "weight": 0,
                     *               "created_at": "2026-03-28T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "payload": {
                     *             "kind": "episodic",
                     *             "timeline": [
                     *               {
                     *                 "t": "2026-03-28T09:30:00.000Z",
                     *                 "event_kind": "text",
                     *                 "ref": "text"
                     *               }
                     *             ],
                     *             "tool_graph": [
                     *               {
                     *                 "id": "text",
                     *                 "tool": "text"
                     *               }
                     *             ],
                     *             "artifacts": [
                     *               "text"
                     *             ]
                     *           },
                     *           "audit_log": [
                     *             {
                     *               "action": "create",
                     *               "actor": "text",
                     *               "timestamp": "2026-03-28T09:30:00.000Z",
                     *               "rationale": "text"
                     *             }
                     *           ],
                     *           "layer": "working",
                     *           "memory_kind": "fact",
                     *           "status": "active",
                     *           "importance": 0,
                     *           "base_importance": 0,
                     *           "access_count": 0,
                     *           "source_type": "human",
                     *           "emotional_valence": -1,
                     *           "confirmation_count": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EntityPage"];
                };
            };
        };
    };
    getEntity: {
        parameters: {
            query?: {
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity at this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["SeenEntity"];
                };
            };
        };
    };
    mergeEntities: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source_ids": [
                 *         "0197b9a0-0000-7000-8000-000000000002"
                 *       ],
                 *       "actor": "curator",
                 *       "rationale": "one project under two names"
                 *     }
                 */
                "application/json": components["schemas"]["EntityMerge"];
            };
        };
        responses: {
            /** @description The merged entity. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    listEntityRecords: {
        parameters: {
            query?: {
                /** @description Only records that refer to the entity in this way. `mentions_entity`: they mention it. `subject_entity`, `object_entity`: facts with the entity as subject or object. */
                predicate?: "mentions_entity" | "subject_entity" | "object_entity";
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the entity. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "sensitivity": "public",
                     *           "confidence": 0,
                     *           "salience": 0,
                     *           "tags": [
                     *             "text"
                     *           ],
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "updated_at": "2026-03-28T09:30:00.000Z",
                     *           "version": 1,
                     *           "lifecycle": {
                     *             "decay": {
                     *               "curve": "exponential",
                     *               "half_life_seconds": 1,
                     *               "min_salience": 0,
                     *               "max_age_seconds": 0,
                     *               "reinforcement_gain": 0,
                     *               "max_salience": 1
                     *             },
                     *             "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *             "pinned": false,
                     *             "deletion_policy": "auto_prune"
                     *           },
                     *           "provenance": {
                     *             "sources": [
                     *               {
                     *                 "kind": "event",
                     *                 "ref": "text"
                     *               }
                     *             ]
                     *           },
                     *           "relations": [
                     *             {
                     *               "predicate": "text",
                     *               "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *               "weight": 0,
                     *               "created_at": "2026-03-28T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "payload": {
                     *             "kind": "episodic",
                     *             "timeline": [
                     *               {
                     *                 "t": "2026-03-28T09:30:00.000Z",
                     *                 "event_kind": "text",
                     *                 "ref": "text"
                     *               }
                     *             ],
                     *             "tool_graph": [
                     *               {
                     *                 "id": "text",
                     *                 "tool": "text"
                     *               }
                     *             ],
                     *             "artifacts": [
                     *               "text"
                     *             ]
                     *           },
                     *           "audit_log": [
                     *             {
                     *               "action": "create",
                     *               "actor": "text",
                     *               "timestamp": "2026-03-28T09:30:00.000Z",
                     *               "rationale": "text"
                     *             }
                     *           ],
                     *           "layer": "working",
                     *           "memory_kind": "fact",
                     *           "status": "active",
                     *           "importance": 0,
                     *           "base_importance": 0,
                     *           "access_count": 0,
                     *           "source_type": "human",
                     *           "emotional_valence": -1,
                     *           "confirmation_count": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordPage"];
                };
            };
        };
    };
    exportRecords: {
        parameters: {
            query?: {
                /** @description Only records of this scope. */
                scope?: string;
                /** @description Only records of this type. */
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /**
                 * @description Only records that changed after this time.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                updated_after?: string;
                /** @description Also export forgotten records that can still be restored. */
                include_forgotten?: boolean;
                /** @description Also export the vectors of each record. */
                embeddings?: boolean;
                /** @description Continue after the record with this id. */
                after?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records, one per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0,
                     *       "anchors": {
                     *         "base_salience": 0,
                     *         "anchored_at": "2026-03-28T09:30:00.000Z"
                     *       },
                     *       "status_history": [
                     *         {
                     *           "old": "active",
                     *           "new": "active",
                     *           "actor": "text",
                     *           "changed_at": "2026-03-28T09:30:00.000Z",
                     *           "reason": "text",
                     *           "step": "text"
                     *         }
                     *       ],
                     *       "handles": [
                     *         {
                     *           "digest": "00112233445566778899aabbccddeeff"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["ExportedRecord"];
                };
            };
        };
    };
    importRecords: {
        parameters: {
            query?: {
                /** @description Checks every line and stores nothing. */
                dry_run?: boolean;
                /** @description The program that wrote the file. Default: recognised by the beginning of the file. */
                format?: "membrane" | "mem0" | "mcp-memory" | "chatgpt" | "claude" | "claude-code" | "codex" | "letta" | "langgraph" | "openmemory" | "graphiti" | "hindsight" | "basic-memory" | "zep" | "texts";
                /** @description What the report lists. `all`: every line. `refused`: only refused lines, at most 1,000; empty lines keep the connection open. The summary counts all lines. A client that reads the report only after it has sent everything, such as a browser, needs `refused` for a large file. */
                report?: "all" | "refused";
                /** @description In the `sample` of a dry run, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
                /** @description The scope in which the records of a file of another program are stored. Not for the format `membrane`, whose lines have their own. Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one. */
                scope?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "type": "semantic",
                 *       "payload": {
                 *         "kind": "semantic",
                 *         "subject": "user",
                 *         "predicate": "prefers_language",
                 *         "object": "Go"
                 *       }
                 *     }
                 */
                "application/x-ndjson": components["schemas"]["ImportedRecord"];
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "id": "7",
                 *           "memory": "Prefers tea",
                 *           "user_id": "ada",
                 *           "created_at": "2026-03-28T09:30:00Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ForeignFile"];
                "application/zip": string;
                "application/vnd.sqlite3": string;
                "application/octet-stream": string;
                "text/markdown": string;
            };
        };
        responses: {
            /** @description The result of each line, and a summary. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "line": 1,
                     *       "id": "0197b9a0-0000-7000-8000-000000000001",
                     *       "status": "created"
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["ImportReport"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "name": "ingest-worker",
                     *           "permissions": [
                     *             "records:read",
                     *             "records:write"
                     *           ],
                     *           "scopes": [
                     *             "team-a"
                     *           ],
                     *           "max_sensitivity": "medium",
                     *           "source_type": "ingest",
                     *           "expires_at": null,
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "last_used_at": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ingest-worker",
                 *       "permissions": [
                 *         "records:read",
                 *         "records:write"
                 *       ],
                 *       "scopes": [
                 *         "team-a"
                 *       ],
                 *       "max_sensitivity": "medium"
                 *     }
                 */
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key and its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "name": "ingest-worker",
                     *       "permissions": [
                     *         "records:read",
                     *         "records:write"
                     *       ],
                     *       "scopes": [
                     *         "team-a"
                     *       ],
                     *       "max_sensitivity": "medium",
                     *       "source_type": "ingest",
                     *       "expires_at": null,
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "last_used_at": null,
                     *       "secret": "mbk_…"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    getOwnKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "name": "ingest-worker",
                     *       "permissions": [
                     *         "records:read",
                     *         "records:write"
                     *       ],
                     *       "scopes": [
                     *         "team-a"
                     *       ],
                     *       "max_sensitivity": "medium",
                     *       "source_type": "ingest",
                     *       "expires_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["OwnKey"];
                };
            };
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "name": "ingest-worker",
                     *       "permissions": [
                     *         "records:read",
                     *         "records:write"
                     *       ],
                     *       "scopes": [
                     *         "team-a"
                     *       ],
                     *       "max_sensitivity": "medium",
                     *       "source_type": "ingest",
                     *       "expires_at": null,
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "last_used_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    checkDrift: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["DriftQuery"];
            };
        };
        responses: {
            /** @description The result of the check. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checked": 12,
                     *       "found": 19,
                     *       "missing": 1,
                     *       "unknown": 0,
                     *       "score": 95,
                     *       "complete": true,
                     *       "items": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "kind": "path",
                     *           "reference": "src/server.ts",
                     *           "found": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DriftReport"];
                };
            };
        };
    };
    listPlans: {
        parameters: {
            query?: {
                /** @description Only plans of this job. */
                job?: "decay" | "consolidate" | "dream" | "compress" | "purge" | "refresh_importance";
                /** @description `preparing`: the dry run has not ended. `ready`: the plan can be applied. `stale`: a record was changed after the plan was prepared; an application skips this record. `applied`: it was applied, in full or in part. `expired`: it is too old to be applied. `failed`: the dry run failed. */
                status?: "preparing" | "ready" | "stale" | "applied" | "expired" | "failed";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of plans. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "job": "decay",
                     *           "options": {},
                     *           "status": "ready",
                     *           "counts": {
                     *             "prune": 20
                     *           },
                     *           "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "expires_at": "2026-04-04T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PlanPage"];
                };
            };
        };
    };
    createPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "job": "decay"
                 *     }
                 */
                "application/json": components["schemas"]["NewPlan"];
            };
        };
        responses: {
            /** @description The plan, with the status `preparing`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "options": {},
                     *       "status": "ready",
                     *       "counts": {
                     *         "prune": 20
                     *       },
                     *       "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "expires_at": "2026-04-04T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "options": {},
                     *       "status": "ready",
                     *       "counts": {
                     *         "prune": 20
                     *       },
                     *       "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "expires_at": "2026-04-04T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    deletePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    applyPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "digest": "c0ffee37a1e5b0d4b5a0b6d9f3e2d1c0b9a8978685746352413f2e1d0c9b8a79",
                 *       "except": [
                 *         "archive"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PlanApplication"];
            };
        };
        responses: {
            /** @description The queued run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    listPlanChanges: {
        parameters: {
            query?: {
                /** @description Only changes with this action, such as `prune`. */
                action?: "prune" | "forget" | "promote" | "create" | "reinforce" | "revise" | "compress" | "archive" | "rescore" | "merge" | "unmerge" | "supersede" | "relate" | "candidate" | "probe_challenge" | "drift_challenge" | "drift_invalidate" | "drift_restore" | "reduce" | "purge" | "undo";
                /** @description Only changes of records of this type. */
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @description Only records of this scope. */
                scope?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "action": "prune"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PlanChangePage"];
                };
            };
        };
    };
    summarisePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "groups": [
                     *         {
                     *           "action": "text",
                     *           "type": "episodic",
                     *           "count": 0,
                     *           "salience": 0,
                     *           "bytes": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PlanSummary"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only runs of this job. */
                job?: "decay" | "consolidate" | "dream" | "compress" | "embed" | "purge" | "refresh_importance" | "simulation" | "undo";
                /** @description Only runs with this status. */
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "job": "decay",
                     *           "trigger": "manual",
                     *           "dry_run": false,
                     *           "options": {},
                     *           "status": "succeeded",
                     *           "progress": {
                     *             "done": 120,
                     *             "total": 120
                     *           },
                     *           "stats": {
                     *             "materialised": 100,
                     *             "pruned": 20
                     *           },
                     *           "attempts": 1,
                     *           "worker": "worker-1",
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "started_at": "2026-03-28T09:30:00.100Z",
                     *           "finished_at": "2026-03-28T09:30:00.400Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRunPage"];
                };
            };
        };
    };
    requestRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "job": "decay",
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["NewMaintenanceRun"];
            };
        };
        responses: {
            /** @description The queued run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Cancellation"];
            };
        };
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    listRunChanges: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "action": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RunChangePage"];
                };
            };
        };
    };
    followRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, until the run ends. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    undoRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "operator",
                 *       "rationale": "the half-life was too short"
                 *     }
                 */
                "application/json": components["schemas"]["NewUndo"];
            };
        };
        responses: {
            /** @description The queued run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule of each job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "job": "decay",
                     *           "interval": "1h",
                     *           "enabled": true,
                     *           "mode": "run",
                     *           "next_at": "2026-03-28T10:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchedulePage"];
                };
            };
        };
    };
    putSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                job: "decay" | "consolidate" | "dream" | "compress" | "embed" | "purge" | "refresh_importance";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "interval": "15m"
                 *     }
                 */
                "application/json": components["schemas"]["ScheduleChoice"];
            };
        };
        responses: {
            /** @description The new schedule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job": "decay",
                     *       "interval": "1h",
                     *       "enabled": true,
                     *       "mode": "run",
                     *       "next_at": "2026-03-28T10:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    requestSimulation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "over": "30d",
                 *       "half_life": {
                 *         "type": "episodic",
                 *         "seconds": [
                 *           86400,
                 *           259200,
                 *           604800
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewSimulation"];
            };
        };
        responses: {
            /** @description The queued run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "job": "decay",
                     *       "trigger": "manual",
                     *       "dry_run": false,
                     *       "options": {},
                     *       "status": "succeeded",
                     *       "progress": {
                     *         "done": 120,
                     *         "total": 120
                     *       },
                     *       "stats": {
                     *         "materialised": 100,
                     *         "pruned": 20
                     *       },
                     *       "attempts": 1,
                     *       "worker": "worker-1",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "started_at": "2026-03-28T09:30:00.100Z",
                     *       "finished_at": "2026-03-28T09:30:00.400Z"
                     *     }
                     */
                    "application/json": components["schemas"]["MaintenanceRun"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts and averages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "as_of": "2026-03-28T09:30:00.000Z",
                     *       "is_sampled": false,
                     *       "total_records": 1200,
                     *       "records_by_type": {
                     *         "episodic": 700,
                     *         "working": 20,
                     *         "entity": 80,
                     *         "semantic": 370,
                     *         "competence": 20,
                     *         "plan_graph": 10
                     *       },
                     *       "active_records": 1150,
                     *       "pinned_records": 12,
                     *       "avg_salience": 0.41,
                     *       "avg_confidence": 0.83,
                     *       "salience_distribution": {
                     *         "0.0-0.2": 400,
                     *         "0.2-0.4": 250,
                     *         "0.4-0.6": 200,
                     *         "0.6-0.8": 200,
                     *         "0.8-1.0": 150
                     *       },
                     *       "records_by_layer": {
                     *         "working": 20,
                     *         "episodic": 700,
                     *         "semantic": 450,
                     *         "procedural": 30,
                     *         "codebase": 0
                     *       },
                     *       "records_by_status": {
                     *         "active": 1150,
                     *         "challenged": 2,
                     *         "invalidated": 8,
                     *         "merged": 10,
                     *         "superseded": 30
                     *       },
                     *       "importance_distribution": {
                     *         "0.0-0.2": 100,
                     *         "0.2-0.4": 450,
                     *         "0.4-0.6": 400,
                     *         "0.6-0.8": 200,
                     *         "0.8-1.0": 50
                     *       },
                     *       "created_by_day": [
                     *         {
                     *           "from": "2026-03-27T09:30:00.000Z",
                     *           "records": 24
                     *         }
                     *       ],
                     *       "fading_by_day": [
                     *         {
                     *           "from": "2026-03-28T09:30:00.000Z",
                     *           "records": 6
                     *         }
                     *       ],
                     *       "total_audit_entries": 3400,
                     *       "memory_growth_rate": 0.02,
                     *       "retrieval_usefulness": 0.31,
                     *       "competence_success_rate": 0.9,
                     *       "plan_reuse_frequency": 3.5,
                     *       "revision_rate": 0.04,
                     *       "regret": {
                     *         "rate": 0.03,
                     *         "by_reason": {
                     *           "pruned": 0.04,
                     *           "deleted": 0.01
                     *         },
                     *         "by_type": {
                     *           "episodic": 0.03
                     *         },
                     *         "by_age": {
                     *           "7d_to_30d": 0.05,
                     *           "30d_to_90d": 0.02
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StoreMetrics"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policies of all types. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "type": "episodic",
                     *           "decay": {
                     *             "curve": "exponential",
                     *             "half_life_seconds": 1,
                     *             "min_salience": 0,
                     *             "max_age_seconds": 0,
                     *             "reinforcement_gain": 0,
                     *             "max_salience": 1
                     *           },
                     *           "deletion_policy": "auto_prune"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PolicyPage"];
                };
            };
        };
    };
    listBudgets: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of budgets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "protect": [
                     *             "episodic"
                     *           ],
                     *           "mode": "soft"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BudgetPage"];
                };
            };
        };
    };
    putDefaultBudget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "max_records": 100000,
                 *       "protect": [
                 *         "competence"
                 *       ],
                 *       "mode": "soft"
                 *     }
                 */
                "application/json": components["schemas"]["BudgetChoice"];
            };
        };
        responses: {
            /** @description The new budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "protect": [
                     *         "episodic"
                     *       ],
                     *       "mode": "soft"
                     *     }
                     */
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    deleteDefaultBudget: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getBudget: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The scope, percent-encoded. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "protect": [
                     *         "episodic"
                     *       ],
                     *       "mode": "soft"
                     *     }
                     */
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    putBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The scope, percent-encoded. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "max_records": 100000,
                 *       "protect": [
                 *         "competence"
                 *       ],
                 *       "mode": "soft"
                 *     }
                 */
                "application/json": components["schemas"]["BudgetChoice"];
            };
        };
        responses: {
            /** @description The new budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "protect": [
                     *         "episodic"
                     *       ],
                     *       "mode": "soft"
                     *     }
                     */
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    deleteBudget: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The scope, percent-encoded. */
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The record type. */
                type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "episodic",
                     *       "decay": {
                     *         "curve": "exponential",
                     *         "half_life_seconds": 1,
                     *         "min_salience": 0,
                     *         "max_age_seconds": 0,
                     *         "reinforcement_gain": 0,
                     *         "max_salience": 1
                     *       },
                     *       "deletion_policy": "auto_prune"
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
        };
    };
    putPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The record type. */
                type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decay": {
                 *         "curve": "exponential",
                 *         "half_life_seconds": 259200,
                 *         "min_salience": 0,
                 *         "max_age_seconds": 0,
                 *         "reinforcement_gain": 0.1,
                 *         "max_salience": 1
                 *       },
                 *       "deletion_policy": "auto_prune"
                 *     }
                 */
                "application/json": components["schemas"]["PolicyChoice"];
            };
        };
        responses: {
            /** @description The new policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "episodic",
                     *       "decay": {
                     *         "curve": "exponential",
                     *         "half_life_seconds": 1,
                     *         "min_salience": 0,
                     *         "max_age_seconds": 0,
                     *         "reinforcement_gain": 0,
                     *         "max_salience": 1
                     *       },
                     *       "deletion_policy": "auto_prune"
                     *     }
                     */
                    "application/json": components["schemas"]["Policy"];
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description Only records of this type. */
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @description Only records of this scope. Records without a scope are left out. */
                scope?: string;
                /** @description Only records with all of these tags: repeat the parameter for each tag. */
                tag?: string[];
                /** @description Only records of exactly this sensitivity. */
                sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description Only records in this layer. */
                layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
                /** @description Only records of this kind. */
                memory_kind?: "fact" | "procedure" | "narrative";
                /** @description Only records with this status. */
                status?: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /** @description true: only pinned records. false: only others. */
                pinned?: boolean;
                /** @description Only records with at least this salience. */
                min_salience?: number;
                /** @description Only records with at most this salience. */
                max_salience?: number;
                /**
                 * @description Only records created after this time.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                created_after?: string;
                /**
                 * @description Only records created before this time.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                created_before?: string;
                /**
                 * @description Only records that changed after this time. Pass `next_updated_after` of the answer in the next request.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                updated_after?: string;
                /** @description Full-text search. Use quotes for a phrase, `or` between alternatives, and a leading minus to exclude a word. */
                q?: string;
                /** @description Also list forgotten records that can still be restored. */
                include_forgotten?: boolean;
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
                /** @description The field by which the records are sorted. */
                sort?: "salience" | "importance" | "created_at" | "updated_at";
                /** @description `desc`: the highest or newest first. `asc`: the lowest or oldest first. */
                order?: "asc" | "desc";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "sensitivity": "public",
                     *           "confidence": 0,
                     *           "salience": 0,
                     *           "tags": [
                     *             "text"
                     *           ],
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "updated_at": "2026-03-28T09:30:00.000Z",
                     *           "version": 1,
                     *           "lifecycle": {
                     *             "decay": {
                     *               "curve": "exponential",
                     *               "half_life_seconds": 1,
                     *               "min_salience": 0,
                     *               "max_age_seconds": 0,
                     *               "reinforcement_gain": 0,
                     *               "max_salience": 1
                     *             },
                     *             "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *             "pinned": false,
                     *             "deletion_policy": "auto_prune"
                     *           },
                     *           "provenance": {
                     *             "sources": [
                     *               {
                     *                 "kind": "event",
                     *                 "ref": "text"
                     *               }
                     *             ]
                     *           },
                     *           "relations": [
                     *             {
                     *               "predicate": "text",
                     *               "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *               "weight": 0,
                     *               "created_at": "2026-03-28T09:30:00.000Z"
                     *             }
                     *           ],
                     *           "payload": {
                     *             "kind": "episodic",
                     *             "timeline": [
                     *               {
                     *                 "t": "2026-03-28T09:30:00.000Z",
                     *                 "event_kind": "text",
                     *                 "ref": "text"
                     *               }
                     *             ],
                     *             "tool_graph": [
                     *               {
                     *                 "id": "text",
                     *                 "tool": "text"
                     *               }
                     *             ],
                     *             "artifacts": [
                     *               "text"
                     *             ]
                     *           },
                     *           "audit_log": [
                     *             {
                     *               "action": "create",
                     *               "actor": "text",
                     *               "timestamp": "2026-03-28T09:30:00.000Z",
                     *               "rationale": "text"
                     *             }
                     *           ],
                     *           "layer": "working",
                     *           "memory_kind": "fact",
                     *           "status": "active",
                     *           "importance": 0,
                     *           "base_importance": 0,
                     *           "access_count": 0,
                     *           "source_type": "human",
                     *           "emotional_valence": -1,
                     *           "confirmation_count": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordListing"];
                };
            };
        };
    };
    createRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "semantic",
                 *       "tags": [
                 *         "preference"
                 *       ],
                 *       "payload": {
                 *         "kind": "semantic",
                 *         "subject": "user",
                 *         "predicate": "prefers_language",
                 *         "object": "Go"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewRecord"];
            };
        };
        responses: {
            /** @description The stored record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    createRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "records": [
                 *         {
                 *           "type": "semantic",
                 *           "tags": [
                 *             "preference"
                 *           ],
                 *           "payload": {
                 *             "kind": "semantic",
                 *             "subject": "user",
                 *             "predicate": "prefers_language",
                 *             "object": "Go"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RecordBatch"];
            };
        };
        responses: {
            /** @description One result for each record, in the order of the request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            /** @description With `atomic`: all records are stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "index": 0,
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    mergeRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETags of the records, separated by commas, or `*` for any version. Returns 412 if the version of one of the records is not among them, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0197b9a0-0000-7000-8000-000000000001",
                 *         "0197b9a0-0000-7000-8000-000000000002"
                 *       ],
                 *       "record": {
                 *         "type": "semantic",
                 *         "payload": {
                 *           "kind": "semantic",
                 *           "subject": "team",
                 *           "predicate": "writes",
                 *           "object": "Rust",
                 *           "evidence": [
                 *             {
                 *               "source_type": "observation",
                 *               "source_id": "meeting-14",
                 *               "timestamp": "2026-03-28T09:30:00.000Z"
                 *             }
                 *           ]
                 *         }
                 *       },
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["Merger"];
            };
        };
        responses: {
            /** @description The new record, and the revised records with their new versions. The ETag is that of the new record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *         "type": "episodic",
                     *         "sensitivity": "public",
                     *         "confidence": 0,
                     *         "salience": 0,
                     *         "tags": [
                     *           "text"
                     *         ],
                     *         "created_at": "2026-03-28T09:30:00.000Z",
                     *         "updated_at": "2026-03-28T09:30:00.000Z",
                     *         "version": 1,
                     *         "lifecycle": {
                     *           "decay": {
                     *             "curve": "exponential",
                     *             "half_life_seconds": 1,
                     *             "min_salience": 0,
                     *             "max_age_seconds": 0,
                     *             "reinforcement_gain": 0,
                     *             "max_salience": 1
                     *           },
                     *           "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *           "pinned": false,
                     *           "deletion_policy": "auto_prune"
                     *         },
                     *         "provenance": {
                     *           "sources": [
                     *             {
                     *               "kind": "event",
                     *               "ref": "text"
                     *             }
                     *           ]
                     *         },
                     *         "relations": [
                     *           {
                     *             "predicate": "text",
                     *             "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *             "weight": 0,
                     *             "created_at": "2026-03-28T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "payload": {
                     *           "kind": "episodic",
                     *           "timeline": [
                     *             {
                     *               "t": "2026-03-28T09:30:00.000Z",
                     *               "event_kind": "text",
                     *               "ref": "text"
                     *             }
                     *           ],
                     *           "tool_graph": [
                     *             {
                     *               "id": "text",
                     *               "tool": "text"
                     *             }
                     *           ],
                     *           "artifacts": [
                     *             "text"
                     *           ]
                     *         },
                     *         "audit_log": [
                     *           {
                     *             "action": "create",
                     *             "actor": "text",
                     *             "timestamp": "2026-03-28T09:30:00.000Z",
                     *             "rationale": "text"
                     *           }
                     *         ],
                     *         "layer": "working",
                     *         "memory_kind": "fact",
                     *         "status": "active",
                     *         "importance": 0,
                     *         "base_importance": 0,
                     *         "access_count": 0,
                     *         "source_type": "human",
                     *         "emotional_valence": -1,
                     *         "confirmation_count": 0
                     *       },
                     *       "sources": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Revised"];
                };
            };
        };
    };
    penalizeRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0197b9a0-0000-7000-8000-000000000001"
                 *       ],
                 *       "amount": 0.3,
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["BulkPenalty"];
            };
        };
        responses: {
            /** @description One result per record, in the order of `ids`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkLifecycleAnswer"];
                };
            };
        };
    };
    reinforceRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "0197b9a0-0000-7000-8000-000000000001"
                 *       ],
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["BulkReason"];
            };
        };
        responses: {
            /** @description One result per record, in the order of `ids`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "status": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BulkLifecycleAnswer"];
                };
            };
        };
    };
    getRecord: {
        parameters: {
            query?: {
                /** @description Return the record even if it is forgotten. */
                include_forgotten?: boolean;
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record at this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["SeenRecord"];
                };
            };
        };
    };
    deleteRecord: {
        parameters: {
            query: {
                /**
                 * @description Who makes the change, for the audit log.
                 * @example planner
                 */
                actor: string;
                /**
                 * @description Why. It is stored in the audit log.
                 * @example no longer true
                 */
                rationale: string;
                /** @description Forgets the record even if it is pinned. Needs the permission admin. */
                force?: boolean;
            };
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The forgotten record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    patchRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tags": [
                 *         "preference",
                 *         "editor"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RecordPatch"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    noteAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "actor": "agent-7"
                 *     }
                 */
                "application/json": components["schemas"]["NewAccess"];
            };
        };
        responses: {
            /** @description The counted use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "access_count": 0,
                     *       "last_accessed_at": "2026-03-28T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AccessReceipt"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description In the answer, passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by `<secret string>`, as in a context. For a page that people look at. */
                mask_secrets?: boolean;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of audit entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
        };
    };
    contestRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "contesting_ref": "meeting-14",
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["Contest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    demoteRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "curator",
                 *       "rationale": "it holds everywhere"
                 *     }
                 */
                "application/json": components["schemas"]["LayerMove"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    eraseRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "privacy-desk",
                 *       "rationale": "request 4711 of the person concerned"
                 *     }
                 */
                "application/json": components["schemas"]["Erasure"];
            };
        };
        responses: {
            /** @description What was erased and what was kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "erased_at": "2026-03-28T09:30:00.000Z",
                     *       "actor": "text",
                     *       "removed": {
                     *         "records": 0,
                     *         "relations": 0,
                     *         "embeddings": 0,
                     *         "access_rows": 0
                     *       },
                     *       "derived_ids": [
                     *         "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11"
                     *       ],
                     *       "kept": [
                     *         "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11"
                     *       ],
                     *       "tombstone_ids": [
                     *         "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
        };
    };
    explainRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Salience, importance and retention score at this moment, with their inputs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "state": "live",
                     *       "salience": {
                     *         "value": 0,
                     *         "base_salience": 0,
                     *         "anchored_at": "2026-03-28T09:30:00.000Z",
                     *         "elapsed_seconds": 0,
                     *         "curve": "exponential",
                     *         "half_life_seconds": 1,
                     *         "factor": 0,
                     *         "floor": 0,
                     *         "cap": 0,
                     *         "rule": "pinned"
                     *       },
                     *       "importance": {
                     *         "value": 0,
                     *         "base_importance": 0,
                     *         "factors": {
                     *           "base": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "access": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "recency": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "valence": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "stability": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "layer": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "trust": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "confirmations": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           },
                     *           "activation": {
                     *             "value": 0,
                     *             "weight": 0,
                     *             "contribution": 0
                     *           }
                     *         }
                     *       },
                     *       "retention": {
                     *         "value": 0,
                     *         "mode": "l2",
                     *         "half_life_days": 0,
                     *         "days_since_access": 0,
                     *         "base": 0,
                     *         "bonus": 0
                     *       },
                     *       "keeping": {
                     *         "value": 0,
                     *         "importance": 0,
                     *         "base_importance": 0,
                     *         "uses": 0,
                     *         "salience": 0
                     *       },
                     *       "prune_at": "2026-03-28T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    forecastRecord: {
        parameters: {
            query?: {
                /** @description Number of points, evenly spaced from now. */
                points?: number;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The salience from now on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "as_of": "2026-03-28T09:30:00.000Z",
                     *       "salience": 0,
                     *       "points": [
                     *         {
                     *           "at": "2026-03-28T09:30:00.000Z",
                     *           "salience": 0
                     *         }
                     *       ],
                     *       "crossings": {
                     *         "half": "2026-03-28T09:30:00.000Z",
                     *         "below_0_1": "2026-03-28T09:30:00.000Z",
                     *         "pruned": "2026-03-28T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Forecast"];
                };
            };
        };
    };
    forkRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "record": {
                 *         "type": "semantic",
                 *         "payload": {
                 *           "kind": "semantic",
                 *           "subject": "team",
                 *           "predicate": "writes",
                 *           "object": "Rust",
                 *           "evidence": [
                 *             {
                 *               "source_type": "observation",
                 *               "source_id": "meeting-14",
                 *               "timestamp": "2026-03-28T09:30:00.000Z"
                 *             }
                 *           ]
                 *         }
                 *       },
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["Succession"];
            };
        };
        responses: {
            /** @description The new record, and the revised records with their new versions. The ETag is that of the new record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *         "type": "episodic",
                     *         "sensitivity": "public",
                     *         "confidence": 0,
                     *         "salience": 0,
                     *         "tags": [
                     *           "text"
                     *         ],
                     *         "created_at": "2026-03-28T09:30:00.000Z",
                     *         "updated_at": "2026-03-28T09:30:00.000Z",
                     *         "version": 1,
                     *         "lifecycle": {
                     *           "decay": {
                     *             "curve": "exponential",
                     *             "half_life_seconds": 1,
                     *             "min_salience": 0,
                     *             "max_age_seconds": 0,
                     *             "reinforcement_gain": 0,
                     *             "max_salience": 1
                     *           },
                     *           "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *           "pinned": false,
                     *           "deletion_policy": "auto_prune"
                     *         },
                     *         "provenance": {
                     *           "sources": [
                     *             {
                     *               "kind": "event",
                     *               "ref": "text"
                     *             }
                     *           ]
                     *         },
                     *         "relations": [
                     *           {
                     *             "predicate": "text",
                     *             "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *             "weight": 0,
                     *             "created_at": "2026-03-28T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "payload": {
                     *           "kind": "episodic",
                     *           "timeline": [
                     *             {
                     *               "t": "2026-03-28T09:30:00.000Z",
                     *               "event_kind": "text",
                     *               "ref": "text"
                     *             }
                     *           ],
                     *           "tool_graph": [
                     *             {
                     *               "id": "text",
                     *               "tool": "text"
                     *             }
                     *           ],
                     *           "artifacts": [
                     *             "text"
                     *           ]
                     *         },
                     *         "audit_log": [
                     *           {
                     *             "action": "create",
                     *             "actor": "text",
                     *             "timestamp": "2026-03-28T09:30:00.000Z",
                     *             "rationale": "text"
                     *           }
                     *         ],
                     *         "layer": "working",
                     *         "memory_kind": "fact",
                     *         "status": "active",
                     *         "importance": 0,
                     *         "base_importance": 0,
                     *         "access_count": 0,
                     *         "source_type": "human",
                     *         "emotional_valence": -1,
                     *         "confirmation_count": 0
                     *       },
                     *       "sources": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Revised"];
                };
            };
        };
    };
    listImportanceMoves: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "old": 0,
                     *           "new": 0,
                     *           "changed_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportanceHistory"];
                };
            };
        };
    };
    getLineage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records of the tree and the relations between them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodes": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "status": "active",
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "edges": [
                     *         {
                     *           "source_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "predicate": "supersedes",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Lineage"];
                };
            };
        };
    };
    setOutcome: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcome": "success",
                 *       "actor": "ci",
                 *       "rationale": "all checks passed"
                 *     }
                 */
                "application/json": components["schemas"]["OutcomeChoice"];
            };
        };
        responses: {
            /** @description The updated episode. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    penalizeRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 0.3,
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["Penalty"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    pinRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    promoteRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "curator",
                 *       "rationale": "it holds everywhere"
                 *     }
                 */
                "application/json": components["schemas"]["LayerMove"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    reinforceRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    listRelations: {
        parameters: {
            query?: {
                /** @description `out`: relations that start at the record. `in`: relations that end at it. */
                direction?: "out" | "in";
                /** @description Only relations with this predicate. */
                predicate?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of relations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "source_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RelationEdgePage"];
                };
            };
        };
    };
    relateRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "predicate": "supports",
                 *       "target_id": "0197b9a0-0000-7000-8000-000000000001",
                 *       "weight": 0.8
                 *     }
                 */
                "application/json": components["schemas"]["NewEdge"];
            };
        };
        responses: {
            /** @description The relation existed and has the given weight. Returns the source. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
            /** @description The relation was created. Returns the source. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    unrelateRecords: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record where the relation starts. */
                id: string;
                /** @description How the source is related to the target, such as `supports`. */
                predicate: string;
                /** @description The id of the record at the other end. */
                target_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The relation was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    restoreRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "it is needed after all"
                 *     }
                 */
                "application/json": components["schemas"]["Restoration"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    retractRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["RevisionReason"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    revertRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "to_version": 1,
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["Reversal"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    setStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "challenged",
                 *       "reason": "the source took it back",
                 *       "actor": "reviewer"
                 *     }
                 */
                "application/json": components["schemas"]["Transition"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    listStatusChanges: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "old": "active",
                     *           "new": "active",
                     *           "reason": "text",
                     *           "actor": "text",
                     *           "step": "text",
                     *           "changed_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StatusHistory"];
                };
            };
        };
    };
    supersedeRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "The team writes Rust.",
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["Replacement"];
            };
        };
        responses: {
            /** @description The new record, and the revised records with their new versions. The ETag is that of the new record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "record": {
                     *         "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *         "type": "episodic",
                     *         "sensitivity": "public",
                     *         "confidence": 0,
                     *         "salience": 0,
                     *         "tags": [
                     *           "text"
                     *         ],
                     *         "created_at": "2026-03-28T09:30:00.000Z",
                     *         "updated_at": "2026-03-28T09:30:00.000Z",
                     *         "version": 1,
                     *         "lifecycle": {
                     *           "decay": {
                     *             "curve": "exponential",
                     *             "half_life_seconds": 1,
                     *             "min_salience": 0,
                     *             "max_age_seconds": 0,
                     *             "reinforcement_gain": 0,
                     *             "max_salience": 1
                     *           },
                     *           "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *           "pinned": false,
                     *           "deletion_policy": "auto_prune"
                     *         },
                     *         "provenance": {
                     *           "sources": [
                     *             {
                     *               "kind": "event",
                     *               "ref": "text"
                     *             }
                     *           ]
                     *         },
                     *         "relations": [
                     *           {
                     *             "predicate": "text",
                     *             "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *             "weight": 0,
                     *             "created_at": "2026-03-28T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "payload": {
                     *           "kind": "episodic",
                     *           "timeline": [
                     *             {
                     *               "t": "2026-03-28T09:30:00.000Z",
                     *               "event_kind": "text",
                     *               "ref": "text"
                     *             }
                     *           ],
                     *           "tool_graph": [
                     *             {
                     *               "id": "text",
                     *               "tool": "text"
                     *             }
                     *           ],
                     *           "artifacts": [
                     *             "text"
                     *           ]
                     *         },
                     *         "audit_log": [
                     *           {
                     *             "action": "create",
                     *             "actor": "text",
                     *             "timestamp": "2026-03-28T09:30:00.000Z",
                     *             "rationale": "text"
                     *           }
                     *         ],
                     *         "layer": "working",
                     *         "memory_kind": "fact",
                     *         "status": "active",
                     *         "importance": 0,
                     *         "base_importance": 0,
                     *         "access_count": 0,
                     *         "source_type": "human",
                     *         "emotional_valence": -1,
                     *         "confirmation_count": 0
                     *       },
                     *       "sources": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "version": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Revised"];
                };
            };
        };
    };
    uncontestRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "the team has moved on"
                 *     }
                 */
                "application/json": components["schemas"]["RevisionReason"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    unpinRecord: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, several ETags separated by commas, or `*` for any version. Returns 412 if the record has another version now, and 400 if it is malformed. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id of the record. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "it answered the question"
                 *     }
                 */
                "application/json": components["schemas"]["Reason"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    listRegrets: {
        parameters: {
            query?: {
                /** @description Only records of this scope. */
                scope?: string;
                /** @description Only records that were forgotten for this reason: `pruned`, `archived`, `budget` or `deleted`. */
                reason?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of missed records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "record_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "type": "episodic",
                     *           "scope": "project:alpha",
                     *           "reason": "pruned",
                     *           "rule": "curve",
                     *           "run_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a12",
                     *           "forgotten_at": "2026-03-20T09:30:00.000Z",
                     *           "regretted_at": "2026-03-28T09:30:00.000Z",
                     *           "times": 2
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RegretPage"];
                };
            };
        };
    };
    remember: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "The staging database moves to Frankfurt in June.",
                 *       "about": "staging",
                 *       "tags": [
                 *         "infra"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TextNote"];
            };
        };
        responses: {
            /** @description The record that already has this text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
            /** @description The new record. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["WrittenRecord"];
                };
            };
        };
    };
    retrieve: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "task_descriptor": "How do we deploy the billing service?",
                 *       "root_limit": 5
                 *     }
                 */
                "application/json": components["schemas"]["RetrieveQuery"];
            };
        };
        responses: {
            /** @description The retrieved records and the relations between them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodes": [
                     *         {
                     *           "record": {
                     *             "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *             "type": "episodic",
                     *             "sensitivity": "public",
                     *             "confidence": 0,
                     *             "salience": 0,
                     *             "tags": [
                     *               "text"
                     *             ],
                     *             "created_at": "2026-03-28T09:30:00.000Z",
                     *             "updated_at": "2026-03-28T09:30:00.000Z",
                     *             "version": 1,
                     *             "lifecycle": {
                     *               "decay": {
                     *                 "curve": "exponential",
                     *                 "half_life_seconds": 1,
                     *                 "min_salience": 0,
                     *                 "max_age_seconds": 0,
                     *                 "reinforcement_gain": 0,
                     *                 "max_salience": 1
                     *               },
                     *               "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *               "pinned": false,
                     *               "deletion_policy": "auto_prune"
                     *             },
                     *             "provenance": {
                     *               "sources": [
                     *                 {
                     *                   "kind": "event",
                     *                   "ref": "text"
                     *                 }
                     *               ]
                     *             },
                     *             "relations": [
                     *               {
                     *                 "predicate": "text",
                     *                 "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *                 "weight": 0,
                     *                 "created_at": "2026-03-28T09:30:00.000Z"
                     *               }
                     *             ],
                     *             "payload": {
                     *               "kind": "episodic",
                     *               "timeline": [
                     *                 {
                     *                   "t": "2026-03-28T09:30:00.000Z",
                     *                   "event_kind": "text",
                     *                   "ref": "text"
                     *                 }
                     *               ],
                     *               "tool_graph": [
                     *                 {
                     *                   "id": "text",
                     *                   "tool": "text"
                     *                 }
                     *               ],
                     *               "artifacts": [
                     *                 "text"
                     *               ]
                     *             },
                     *             "audit_log": [
                     *               {
                     *                 "action": "create",
                     *                 "actor": "text",
                     *                 "timestamp": "2026-03-28T09:30:00.000Z",
                     *                 "rationale": "text"
                     *               }
                     *             ],
                     *             "layer": "working",
                     *             "memory_kind": "fact",
                     *             "status": "active",
                     *             "importance": 0,
                     *             "base_importance": 0,
                     *             "access_count": 0,
                     *             "source_type": "human",
                     *             "emotional_valence": -1,
                     *             "confirmation_count": 0
                     *           },
                     *           "root": false,
                     *           "hop": 0,
                     *           "score": 0
                     *         }
                     *       ],
                     *       "edges": [
                     *         {
                     *           "source_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "root_ids": [
                     *         "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Retrieval"];
                };
            };
        };
    };
    searchSimilar: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "record_id": "0197b9a0-0000-7000-8000-000000000001",
                 *       "limit": 5
                 *     }
                 */
                "application/json": components["schemas"]["SimilarQuery"];
            };
        };
        responses: {
            /** @description The similar records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "record": {
                     *             "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *             "type": "episodic",
                     *             "sensitivity": "public",
                     *             "confidence": 0,
                     *             "salience": 0,
                     *             "tags": [
                     *               "text"
                     *             ],
                     *             "created_at": "2026-03-28T09:30:00.000Z",
                     *             "updated_at": "2026-03-28T09:30:00.000Z",
                     *             "version": 1,
                     *             "lifecycle": {
                     *               "decay": {
                     *                 "curve": "exponential",
                     *                 "half_life_seconds": 1,
                     *                 "min_salience": 0,
                     *                 "max_age_seconds": 0,
                     *                 "reinforcement_gain": 0,
                     *                 "max_salience": 1
                     *               },
                     *               "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *               "pinned": false,
                     *               "deletion_policy": "auto_prune"
                     *             },
                     *             "provenance": {
                     *               "sources": [
                     *                 {
                     *                   "kind": "event",
                     *                   "ref": "text"
                     *                 }
                     *               ]
                     *             },
                     *             "relations": [
                     *               {
                     *                 "predicate": "text",
                     *                 "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *                 "weight": 0,
                     *                 "created_at": "2026-03-28T09:30:00.000Z"
                     *               }
                     *             ],
                     *             "payload": {
                     *               "kind": "episodic",
                     *               "timeline": [
                     *                 {
                     *                   "t": "2026-03-28T09:30:00.000Z",
                     *                   "event_kind": "text",
                     *                   "ref": "text"
                     *                 }
                     *               ],
                     *               "tool_graph": [
                     *                 {
                     *                   "id": "text",
                     *                   "tool": "text"
                     *                 }
                     *               ],
                     *               "artifacts": [
                     *                 "text"
                     *               ]
                     *             },
                     *             "audit_log": [
                     *               {
                     *                 "action": "create",
                     *                 "actor": "text",
                     *                 "timestamp": "2026-03-28T09:30:00.000Z",
                     *                 "rationale": "text"
                     *               }
                     *             ],
                     *             "layer": "working",
                     *             "memory_kind": "fact",
                     *             "status": "active",
                     *             "importance": 0,
                     *             "base_importance": 0,
                     *             "access_count": 0,
                     *             "source_type": "human",
                     *             "emotional_valence": -1,
                     *             "confirmation_count": 0
                     *           },
                     *           "similarity": -1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SimilarRecords"];
                };
            };
        };
    };
    previewSurprise: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "deploys of the billing service are frozen in December"
                 *     }
                 */
                "application/json": components["schemas"]["SurpriseQuery"];
            };
        };
        responses: {
            /** @description The surprise that the text would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "score": 0,
                     *       "delta": -1,
                     *       "base_before": 0,
                     *       "base_importance": 0,
                     *       "neighbours": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "similarity": -1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SurprisePreview"];
                };
            };
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tenants. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "acme",
                     *           "status": "active",
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "schema": "t_abcdefghijkl",
                     *           "migrated": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
        };
    };
    createTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "acme"
                 *     }
                 */
                "application/json": components["schemas"]["NewTenant"];
            };
        };
        responses: {
            /** @description The tenant and its first key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "status": "creating",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "schema": "text",
                     *       "migrated": false,
                     *       "key": {
                     *         "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *         "name": "ingest-worker",
                     *         "permissions": [
                     *           "records:read",
                     *           "records:write"
                     *         ],
                     *         "scopes": [
                     *           "team-a"
                     *         ],
                     *         "max_sensitivity": "medium",
                     *         "source_type": "ingest",
                     *         "expires_at": null,
                     *         "created_at": "2026-03-28T09:30:00.000Z",
                     *         "last_used_at": null,
                     *         "secret": "mbk_…"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedTenant"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "acme",
                     *       "status": "active",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "schema": "t_abcdefghijkl",
                     *       "migrated": true
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    dropTenant: {
        parameters: {
            query: {
                /**
                 * @description Who makes the change, for the log of the tenants.
                 * @example operations
                 */
                actor: string;
                /**
                 * @description Why. It is stored in the log of the tenants.
                 * @example the contract has ended
                 */
                rationale: string;
                /** @description Deletes the tenant here without touching its lost server. Its data on that server stay. */
                abandon?: boolean;
            };
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How much was removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "acme",
                     *       "actor": "operations",
                     *       "dropped_at": "2026-03-28T09:30:00.000Z",
                     *       "removed": {
                     *         "records": 120,
                     *         "relations": 80,
                     *         "audit_entries": 200,
                     *         "runs": 4,
                     *         "keys": 2
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TenantReceipt"];
                };
            };
        };
    };
    exportTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records, one per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *       "type": "episodic",
                     *       "sensitivity": "public",
                     *       "confidence": 0,
                     *       "salience": 0,
                     *       "tags": [
                     *         "text"
                     *       ],
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "updated_at": "2026-03-28T09:30:00.000Z",
                     *       "version": 1,
                     *       "lifecycle": {
                     *         "decay": {
                     *           "curve": "exponential",
                     *           "half_life_seconds": 1,
                     *           "min_salience": 0,
                     *           "max_age_seconds": 0,
                     *           "reinforcement_gain": 0,
                     *           "max_salience": 1
                     *         },
                     *         "last_reinforced_at": "2026-03-28T09:30:00.000Z",
                     *         "pinned": false,
                     *         "deletion_policy": "auto_prune"
                     *       },
                     *       "provenance": {
                     *         "sources": [
                     *           {
                     *             "kind": "event",
                     *             "ref": "text"
                     *           }
                     *         ]
                     *       },
                     *       "relations": [
                     *         {
                     *           "predicate": "text",
                     *           "target_id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "weight": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payload": {
                     *         "kind": "episodic",
                     *         "timeline": [
                     *           {
                     *             "t": "2026-03-28T09:30:00.000Z",
                     *             "event_kind": "text",
                     *             "ref": "text"
                     *           }
                     *         ],
                     *         "tool_graph": [
                     *           {
                     *             "id": "text",
                     *             "tool": "text"
                     *           }
                     *         ],
                     *         "artifacts": [
                     *           "text"
                     *         ]
                     *       },
                     *       "audit_log": [
                     *         {
                     *           "action": "create",
                     *           "actor": "text",
                     *           "timestamp": "2026-03-28T09:30:00.000Z",
                     *           "rationale": "text"
                     *         }
                     *       ],
                     *       "layer": "working",
                     *       "memory_kind": "fact",
                     *       "status": "active",
                     *       "importance": 0,
                     *       "base_importance": 0,
                     *       "access_count": 0,
                     *       "source_type": "human",
                     *       "emotional_valence": -1,
                     *       "confirmation_count": 0,
                     *       "anchors": {
                     *         "base_salience": 0,
                     *         "anchored_at": "2026-03-28T09:30:00.000Z"
                     *       },
                     *       "status_history": [
                     *         {
                     *           "old": "active",
                     *           "new": "active",
                     *           "actor": "text",
                     *           "changed_at": "2026-03-28T09:30:00.000Z",
                     *           "reason": "text",
                     *           "step": "text"
                     *         }
                     *       ],
                     *       "handles": [
                     *         {
                     *           "digest": "00112233445566778899aabbccddeeff"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/x-ndjson": components["schemas"]["ExportedRecord"];
                };
            };
        };
    };
    moveTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "database_url": "postgres://membrane:secret@db-7.example:5432/acme",
                 *       "actor": "operations",
                 *       "rationale": "it has outgrown the main server"
                 *     }
                 */
                "application/json": components["schemas"]["TenantMove"];
            };
        };
        responses: {
            /** @description The changed tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "acme",
                     *       "status": "active",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "schema": "t_abcdefghijkl",
                     *       "migrated": true
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    resumeTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "operations",
                 *       "rationale": "the invoice is overdue"
                 *     }
                 */
                "application/json": components["schemas"]["TenantDecision"];
            };
        };
        responses: {
            /** @description The changed tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "acme",
                     *       "status": "active",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "schema": "t_abcdefghijkl",
                     *       "migrated": true
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    suspendTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the tenant. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "operations",
                 *       "rationale": "the invoice is overdue"
                 *     }
                 */
                "application/json": components["schemas"]["TenantDecision"];
            };
        };
        responses: {
            /** @description The changed tenant. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "acme",
                     *       "status": "active",
                     *       "created_at": "2026-03-28T09:30:00.000Z",
                     *       "schema": "t_abcdefghijkl",
                     *       "migrated": true
                     *     }
                     */
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    listTombstones: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tombstones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11",
                     *           "created_at": "2026-03-28T09:30:00.000Z",
                     *           "actor": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TombstonePage"];
                };
            };
        };
    };
    deleteTombstone: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the tombstone. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tombstone is lifted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWorthModels: {
        parameters: {
            query?: {
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of an earlier write: the answer includes that write. Without it, an answer from a replica may be some seconds old. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of models. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "text",
                     *           "source": "shipped",
                     *           "in_force": false,
                     *           "uses": 0,
                     *           "created_at": "2026-03-28T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WorthModelPage"];
                };
            };
        };
    };
    activateWorthModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same request with the same key returns the stored answer, for `MEMBRANE_IDEMPOTENCY_RETENTION` (24h). */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id of the model. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "actor": "planner",
                 *       "rationale": "back to the weights of the release"
                 *     }
                 */
                "application/json": components["schemas"]["WorthModelChoice"];
            };
        };
        responses: {
            /** @description The model in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "text",
                     *       "source": "shipped",
                     *       "in_force": false,
                     *       "uses": 0,
                     *       "created_at": "2026-03-28T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WorthModel"];
                };
            };
        };
    };
}
