// Written by `npm run client` from openapi/openapi.json. Do not edit.

export interface components {
    schemas: {
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
            base_salience: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            anchored_at: string;
        };
        AppendedMessages: {
            /** @description In the order of the request. */
            items: {
                /** @description The id of the message, unique in the conversation. */
                message_id: string;
                /** Format: uuid */
                record_id: string;
                /** @enum {string} */
                status: "created" | "unchanged";
            }[];
            conversation: components["schemas"]["WrittenConversation"];
        };
        AuditEntry: {
            /** @enum {string} */
            action: "create" | "revise" | "fork" | "merge" | "delete" | "reinforce" | "decay" | "restore" | "erase" | "status" | "promote" | "demote" | "pin" | "unpin" | "archive" | "undo";
            actor: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            timestamp: string;
            rationale: string;
            /** Format: uuid */
            run_id?: string;
            /** Format: uuid */
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
                index: number;
                status: number;
                record?: components["schemas"]["WrittenRecord"];
                problem?: components["schemas"]["Problem"];
            }[];
        };
        /** @description How much a scope may hold. The decay job forgets what exceeds it, the least worth keeping first. */
        Budget: {
            /** @description Absent for the default, which applies where a scope has no budget. */
            scope?: string;
            /** @description How many records the scope may hold. */
            max_records?: number;
            /** @description How many bytes the records of the scope may have, about as JSON without compression. */
            max_bytes?: number;
            /** @description Types and layers that the budget never forgets. `semantic` is both a type and a layer. */
            protect: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph" | "procedural" | "codebase")[];
            /**
             * @description `soft` never forgets a record within a day of its creation or restoration, even if the budget is exceeded. `hard` forgets such records too, when no others are left.
             * @default soft
             * @enum {string}
             */
            mode: "soft" | "hard";
        };
        /**
         * @description Exactly one of `max_records` and `max_bytes`.
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
            /** @description How many bytes the records of the scope may have, about as JSON without compression. */
            max_bytes?: number;
            /**
             * @description Types and layers that the budget never forgets. `semantic` is both a type and a layer.
             * @default []
             */
            protect?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph" | "procedural" | "codebase")[];
            /**
             * @description `soft` never forgets a record within a day of its creation or restoration, even if the budget is exceeded. `hard` forgets such records too, when no others are left.
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
            /** @description Record ids without duplicates. */
            ids: string[];
            /** @description Subtracted from the salience. */
            amount: number;
            /** @example planner */
            actor: string;
            /** @example it answered the question */
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
            /** @description Record ids without duplicates. */
            ids: string[];
            /** @example planner */
            actor: string;
            /** @example it answered the question */
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
            /** @description All new edges, including the inverse edges. */
            edges: components["schemas"]["RelationEdge"][];
            /** @description True if the same source, scope and `content.ref` were captured before. Then nothing is stored. */
            deduplicated: boolean;
            fact?: components["schemas"]["DerivedFact"];
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
            /** @example planner */
            actor: string;
            /** @example the team has moved on */
            rationale: string;
        };
        ContextItem: {
            /** Format: uuid */
            record_id: string;
            /**
             * @description How the text names the record: `[m:REF]`. The end of its id, unique in this answer.
             * @example 9a1c2b
             */
            ref: string;
            /**
             * @description `profile`: an entity that the question names, or its profile. `fact`: a fact or another entity. `state`: what is under way. `episode`: what happened.
             * @enum {string}
             */
            kind: "profile" | "fact" | "skill" | "plan" | "state" | "episode";
            /** @description The estimate for the line of the record. */
            tokens: number;
            /** @description Whether the line says all; false where it was shortened, a secret was masked, or the arguments of tools or the `context` of a capture were left out. */
            quoted: boolean;
        };
        /**
         * @example {
         *       "task_descriptor": "How do we deploy the billing service?",
         *       "max_tokens": 800
         *     }
         */
        ContextQuery: {
            /** @description The task, as a sentence. Its words are alternatives, as in `/v1/retrieve`. */
            task_descriptor: string;
            /**
             * @description The most tokens of the text, by our estimate.
             * @default 1500
             */
            max_tokens?: number;
            /**
             * @description `markdown`: headings and one line for each record, inside a fence, which the first line opens and the last line closes. `json`: `text` is a JSON document with the members `notice`, `who`, `known`, `how`, `under_way` and `happened`; each of the last five is a list of `{record_id, date, text, disputed?, conversation?}` and is left out when it is empty.
             * @default markdown
             * @enum {string}
             */
            format?: "markdown" | "json";
            /** @description Narrows what the key may see. It cannot widen it. */
            trust?: {
                /** @enum {string} */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. */
                scopes?: string[];
                /** @description Who asks, for the access log. */
                actor_id?: string;
            };
            /** @description Only these types. */
            memory_types?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph")[];
            /**
             * @description Facts only, facts and procedures, or every kind.
             * @default full_context
             * @enum {string}
             */
            mode?: "facts_only" | "facts_plus_rules" | "full_context";
            /** @description Only these layers. */
            layers?: ("working" | "episodic" | "semantic" | "procedural" | "codebase")[];
            /** @description Only these scopes. Records without a scope are left out. */
            scopes?: string[];
            /** @description Only records with all of these tags. */
            tags?: string[];
            /** @description The least salience now, or at `as_of`. */
            min_salience?: number;
            min_importance?: number;
            /** @description Also records of these statuses, besides active ones. */
            include_status?: ("active" | "challenged" | "invalidated" | "merged" | "superseded")[];
            /**
             * @description Also timeboxed facts outside their validity window.
             * @default false
             */
            include_expired?: boolean;
            /**
             * Format: date-time
             * @description Answers as of a past instant. Records, edges and log entries from later are left out. Status, revision state and validity are those of that instant; salience is reconstructed from the log, or from the present anchor where the log is not enough. Everything else is as it is now. Forgotten records stay excluded.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of?: string;
            /**
             * @description The most records found by the question itself.
             * @default 20
             */
            root_limit?: number;
            /**
             * @description The most records found by the question and over edges.
             * @default 50
             */
            node_limit?: number;
            /**
             * @description How many edges are followed from each record that was found; 0 for none.
             * @default 0
             */
            max_hops?: number;
            /**
             * @description Count the records in the text as served: each once for each key and UTC day.
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
            /** @description How many messages this key sees: 0, and no times, if all of them were forgotten. */
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
            /** @description Names, or roles where there is no name; at most 100, those with the most messages first. */
            speakers: {
                name: string;
                messages: number;
            }[];
            /**
             * Format: date-time
             * @description When a message was added last.
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
            /** @description The scope of the conversation. Default: the scope of the key, or none for a key of all scopes. */
            scope?: string;
            /**
             * @description The conversation has no scope, although the key has one.
             * @default false
             */
            unscoped?: boolean;
            actor: string;
            /** @description Stays in the audit log. Give the reason, and do not repeat the content. */
            rationale: string;
            /**
             * @description false keeps the records that were derived from this record alone; needs the permission admin.
             * @default true
             */
            cascade?: boolean;
            /** @description Erases a record whose deletion policy is `never`; needs `admin`. If a derived record has that policy and this key may not change it, the erase is refused with 409. */
            force?: boolean;
            /** @description The `next_cursor` of the answer before: goes on after its messages, also the kept ones. */
            cursor?: string;
        };
        ConversationMessage: {
            /** @description The id of the message, unique in the conversation. */
            message_id: string;
            /** Format: uuid */
            record_id: string;
            role: string;
            name?: string;
            /** @description What it says. Of a captured event its summary, else the text that was captured. */
            content: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            at: string;
            /** @description Ascends in the order of the conversation, with gaps. Negative before 1970. */
            position: number;
            metadata?: {
                [key: string]: unknown;
            };
        };
        ConversationPage: {
            items: components["schemas"]["Conversation"][];
            next_cursor?: string;
        };
        /** @description The answer to a write by a key without the permission records:read. */
        ConversationReceipt: {
            /**
             * @description The id of the conversation, unique in its scope.
             * @example support-4711
             */
            id: string;
            scope?: string;
        };
        /** @description The tenant, and the first admin key of it. */
        CreatedTenant: {
            id: string;
            /**
             * @description `creating`: its creation on a server of its own is not finished; repeat the POST if it was not answered. `suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if it was not answered.
             * @enum {string}
             */
            status: "creating" | "active" | "suspended" | "dropping";
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The schema of PostgreSQL that has its data, for `pg_dump` and similar tools. */
            schema: string;
            /** @description The database of a tenant on a server of its own; absent for one in the main database. User and password are never shown. */
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
        Decay: {
            /** @enum {string} */
            curve: "exponential" | "linear" | "custom" | "huber" | "elastic";
            half_life_seconds: number;
            min_salience: number;
            /** @description 0 means no maximum age. */
            max_age_seconds: number;
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
             * @description `created`: a new record. `confirmed`: a record already stated the fact. `replaced`, `forked`, `contested`: a record stated another object, and its revision policy decided. `challenged`: the fact was withdrawn earlier, and the new record waits for review. `erased`: the fact was erased earlier and is not stored.
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
             * @description The existing record with another object.
             */
            other_id?: string;
        };
        DriftItem: {
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            kind: "path" | "symbol" | "script";
            /** @description The words of the record. */
            reference: string;
            /** @description Absent if it could not be checked. */
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
            /** @description Percentage of found among found and missing references; 100 if there are none. */
            score: number;
            /** @description False if there were more records than one request checks. */
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
            /** @example curator */
            actor: string;
            /** @example one project under two names */
            rationale: string;
        };
        EntityPage: {
            items: components["schemas"]["Record"][];
            next_cursor?: string;
        };
        EntityRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            scope?: string;
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
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description The newest 50, oldest first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @enum {string} */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @enum {string} */
            memory_kind: "fact" | "procedure" | "narrative";
            /** @enum {string} */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            importance: number;
            base_importance: number;
            access_count: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /** @enum {string} */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            emotional_valence: number;
            confirmation_count: number;
            forgotten?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                reason: string;
                actor: string;
                /** Format: uuid */
                run_id?: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            /**
             * Format: uuid
             * @description The id of the record that contains the profile of this entity.
             */
            peer_card_id?: string;
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
            /** @description There are more messages: send the request again with this `cursor`. */
            next_cursor?: string;
        };
        /**
         * @example {
         *       "actor": "privacy-desk",
         *       "rationale": "request 4711 of the person concerned"
         *     }
         */
        Erasure: {
            actor: string;
            /** @description Stays in the audit log. Give the reason, and do not repeat the content. */
            rationale: string;
            /**
             * @description false keeps the records that were derived from this record alone; needs the permission admin.
             * @default true
             */
            cascade?: boolean;
            /** @description Erases a record whose deletion policy is `never`; needs `admin`. If a derived record has that policy and this key may not change it, the erase is refused with 409. */
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
            /** @description What was removed of the records that the key could read in full, and between them. */
            removed: {
                /** @description This record and the records derived from it alone. */
                records: number;
                relations: number;
                embeddings: number;
                access_rows: number;
            };
            /** @description The records that were derived from it alone and are erased too. */
            derived_ids: string[];
            /** @description The records that also have other sources. They stay, without the evidence, the sources and the words that came from the erased records. */
            kept: string[];
            /** @description Those that the key could list, if it had `admin`. */
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
                 * @description The rule that decides the value.
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
                value: number;
                /** @enum {string} */
                mode: "l2" | "huber" | "elastic";
                /** @description Shorter for a less trusted source; null for layers that never fade. */
                half_life_days: number | null;
                days_since_access: number;
                base: number;
                bonus: number;
            };
            /** @description How the base importance was judged from the content. The value grows with the sum of the contributions. Absent where an importance was named, and for purged and erased records. */
            worth?: {
                /** @description The base importance as judged. Surprise moves it from there. */
                value: number;
                parts: {
                    /** @enum {string} */
                    name: "basis" | "information" | "novelty" | "figures" | "times" | "names" | "identifiers" | "people" | "first_person" | "answer" | "question" | "greeting" | "decision" | "preference" | "correction" | "outcome" | "role" | "machine" | "distilled" | "detail";
                    value: number;
                    weight: number;
                    /** @description `value × weight`. */
                    contribution: number;
                }[];
                /** @description Whether the weights were fitted to the uses of this store. */
                learned: boolean;
            };
            /** @description (importance + 3 × base_importance) / 4 × salience^(1/32): a budget forgets the records with the lowest value first. `importance` is the stored one, which a job refreshes. */
            keeping: {
                value: number;
                importance: number;
                base_importance: number;
                salience: number;
            };
            /** @description The comparison of the first vector of the record. Absent before it, and for purged and erased records. */
            surprise?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @description 0: repeats what was known; 1: unlike anything known. */
                score: number;
                /** @description The change of base importance, which stays within 0.05 and 1. 0 for a record that was pinned. */
                delta: number;
                base_before: number;
                /** @description Up to five nearest records that still exist and that the key sees whole. */
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
                /** @description Values at the moment of the removal. */
                numbers: {
                    salience: number;
                    base_salience: number;
                    elapsed_seconds: number;
                    factor: number;
                    floor: number;
                    /** @description Only for a record that a budget has forgotten. */
                    keeping?: number;
                    /** @description Only for an archived record: below 0.15. */
                    retention?: number;
                    /** @description Only for an archived record: below 0.3. */
                    importance?: number;
                    /** @description Only for an archived record: below 3. */
                    accesses?: number;
                    /** @description Only for an archived record: above 90. */
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
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            scope?: string;
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
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first. At most 1,000 of the inverse edges, which the record at the other end has too. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description All entries, oldest first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @enum {string} */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @enum {string} */
            memory_kind: "fact" | "procedure" | "narrative";
            /** @enum {string} */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            importance: number;
            base_importance: number;
            access_count: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /** @enum {string} */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            emotional_valence: number;
            confirmation_count: number;
            forgotten?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                reason: string;
                actor: string;
                /** Format: uuid */
                run_id?: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            anchors: components["schemas"]["Anchors"];
            status_history: {
                /** @enum {string} */
                old: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /** @enum {string} */
                new: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                actor: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** @description Empty after the record was erased. */
                reason: string;
                step: string;
                /** Format: uuid */
                run_id?: string;
                via?: components["schemas"]["Via"];
            }[];
            /** @description The handles of the record, as digests. */
            handles: {
                /** @example 00112233445566778899aabbccddeeff */
                digest: string;
                /** @example 00112233445566778899aabbccddeeff */
                detail?: string;
                place?: number;
            }[];
            /** @description The records from which the service made this one. An erase follows them. */
            descent?: {
                /** Format: uuid */
                source_id: string;
                /** @enum {string} */
                kind: "capture" | "confirm" | "mention" | "consolidation" | "dream" | "supersede" | "fork" | "merge" | "fold" | "inherited" | "claim" | "contest";
                /** @description Whether the record rests on this source. A record is erased with the last source on which it rests. */
                is_ground: boolean;
            }[];
            served_count?: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            demoted_at?: string;
            importance_history?: {
                old: number;
                new: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** Format: uuid */
                run_id?: string;
            }[];
            /** @description The newest 1,000 accesses, oldest first. */
            access_log?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @enum {string} */
                kind: "served" | "used";
                actor: string;
                /** @description The key that was shown the record. */
                key_id?: string;
            }[];
            access_days?: number;
            /** @description The judgement behind the base importance, as the service keeps it; empty where an importance was named. */
            worth?: string;
            surprise?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                score: number;
                delta: number;
                base_before: number;
                neighbours: {
                    /** Format: uuid */
                    id: string;
                    similarity: number;
                }[];
                /** Format: uuid */
                duplicate_of?: string;
            };
            /** @description The identifiers of an entity that it owns; another entity may have taken the others. */
            identifiers?: {
                namespace: string;
                value: string;
            }[];
            consolidation?: {
                due: ("episodic" | "semantic" | "extraction" | "competence" | "plan_graph")[];
                tallies: {
                    /** @enum {string} */
                    stage: "episodic" | "semantic" | "extraction" | "competence" | "plan_graph";
                    outcome: string;
                    /** @example 00112233445566778899aabbccddeeff */
                    digest: string;
                    scope: string;
                }[];
            };
            embeddings?: {
                provider: string;
                model: string;
                dimensions: number;
                /** @enum {unknown} */
                bits: 2 | 4 | 8 | 32;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                embedded_at: string;
                /** @example AAAA */
                code: string;
                /** @example AAAA */
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
                /** @description When half of the current salience is left; null for never. */
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
        ForeignFile: unknown;
        ForgottenMessages: {
            results: {
                /** Format: uuid */
                id: string;
                /** @description The HTTP status for this message. */
                status: number;
                record?: components["schemas"]["WrittenRecord"];
                problem?: components["schemas"]["Problem"];
            }[];
            /** @description There are more messages: send the request again with this `cursor`. */
            next_cursor?: string;
        };
        /**
         * @description One line of the report; the last is a summary, or the problem that ended the import.
         * @example {
         *       "line": 1,
         *       "id": "0197b9a0-0000-7000-8000-000000000001",
         *       "status": "created"
         *     }
         */
        ImportReport: {
            line: number;
            /** Format: uuid */
            id?: string;
            /** @enum {string} */
            status: "created" | "unchanged" | "conflict" | "invalid";
            problem?: components["schemas"]["Problem"];
        } | {
            summary: {
                created: number;
                unchanged: number;
                conflict: number;
                invalid: number;
            };
            /** @enum {string} */
            format?: "mem0" | "mcp-memory" | "chatgpt" | "claude" | "letta" | "langgraph" | "openmemory" | "graphiti" | "hindsight" | "basic-memory";
            dry_run?: boolean;
            /** @description A state after the import, for the header `Membrane-Position` of a read. */
            position?: string;
            /** @description After a dry run: up to 5 records as they would land. */
            sample?: components["schemas"]["WrittenRecord"][];
            /** @description Relations that were not stored, because their targets were not in the stream. The first 100 are listed. */
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
        } | {
            problem: components["schemas"]["Problem"];
        };
        ImportanceHistory: {
            items: components["schemas"]["ImportanceMove"][];
            next_cursor?: string;
        };
        ImportanceMove: {
            old: number;
            new: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            changed_at: string;
            /**
             * Format: uuid
             * @description The run that changed the importance. Absent when a use or a change of the record did.
             */
            run_id?: string;
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
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            confidence?: number;
            salience?: number;
            scope?: string;
            tags?: string[];
            /**
             * Format: date-time
             * @description Not in the future; default now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
            lifecycle?: components["schemas"]["NewLifecycle"];
            provenance?: components["schemas"]["Provenance"];
            /** @description Targets may be records of later lines. */
            relations?: {
                predicate: string;
                /** Format: uuid */
                target_id: string;
                weight?: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                created_at?: string;
            }[];
            payload: components["schemas"]["NewPayload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description Default: judged from the content; `/explain` shows how. */
            base_importance?: number;
            emotional_valence?: number;
            /** @enum {string} */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @enum {string} */
            memory_kind?: "fact" | "procedure" | "narrative";
            /** @enum {string} */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            updated_at?: string;
            version?: number;
            audit_log?: components["schemas"]["AuditEntry"][];
            /** @enum {string} */
            status?: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            importance?: number;
            access_count?: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            confirmation_count?: number;
            forgotten?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                reason: string;
                actor: string;
                /** Format: uuid */
                run_id?: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                purge_at: string;
            };
            anchors?: components["schemas"]["Anchors"];
            status_history?: {
                /** @enum {string} */
                old: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                /** @enum {string} */
                new: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                actor: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** @description Empty after the record was erased. */
                reason: string;
                step: string;
                /** Format: uuid */
                run_id?: string;
                via?: components["schemas"]["Via"];
            }[];
            handles?: {
                /** @example 00112233445566778899aabbccddeeff */
                digest: string;
                /** @example 00112233445566778899aabbccddeeff */
                detail?: string;
                place?: number;
            }[];
            /** @description The records from which the service made this one. An erase follows them. */
            descent?: {
                /** Format: uuid */
                source_id: string;
                /** @enum {string} */
                kind: "capture" | "confirm" | "mention" | "consolidation" | "dream" | "supersede" | "fork" | "merge" | "fold" | "inherited" | "claim" | "contest";
                /** @description Whether the record rests on this source. A record is erased with the last source on which it rests. */
                is_ground: boolean;
            }[];
            served_count?: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            demoted_at?: string;
            importance_history?: {
                old: number;
                new: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                changed_at: string;
                /** Format: uuid */
                run_id?: string;
            }[];
            /** @description The newest 1,000 accesses, oldest first. */
            access_log?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                /** @enum {string} */
                kind: "served" | "used";
                actor: string;
                /** @description The key that was shown the record. */
                key_id?: string;
            }[];
            access_days?: number;
            /** @description The judgement behind the base importance, as the service keeps it; empty where an importance was named. */
            worth?: string;
            surprise?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                score: number;
                delta: number;
                base_before: number;
                neighbours: {
                    /** Format: uuid */
                    id: string;
                    similarity: number;
                }[];
                /** Format: uuid */
                duplicate_of?: string;
            };
            /** @description The identifiers of an entity that it owns; another entity may have taken the others. */
            identifiers?: {
                namespace: string;
                value: string;
            }[];
            consolidation?: {
                due: ("episodic" | "semantic" | "extraction" | "competence" | "plan_graph")[];
                tallies: {
                    /** @enum {string} */
                    stage: "episodic" | "semantic" | "extraction" | "competence" | "plan_graph";
                    outcome: string;
                    /** @example 00112233445566778899aabbccddeeff */
                    digest: string;
                    scope: string;
                }[];
            };
            embeddings?: {
                provider: string;
                model: string;
                dimensions: number;
                /** @enum {unknown} */
                bits: 2 | 4 | 8 | 32;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                embedded_at: string;
                /** @example AAAA */
                code: string;
                /** @example AAAA */
                signature: string;
            }[];
        };
        Interpretation: {
            /** @enum {string} */
            status: "tentative" | "resolved";
            summary: string;
            /** @enum {string} */
            proposed_type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            topical_labels: string[];
            mentions: {
                surface: string;
                entity_kind: string;
                /** Format: uuid */
                canonical_entity_id?: string;
                confidence: number;
                aliases: string[];
            }[];
            relation_candidates: {
                predicate: string;
                /** Format: uuid */
                target_record_id?: string;
                /** Format: uuid */
                target_entity_id?: string;
                confidence: number;
                resolved: boolean;
            }[];
            reference_candidates: {
                ref: string;
                /** Format: uuid */
                target_record_id?: string;
                /** Format: uuid */
                target_entity_id?: string;
                confidence: number;
                resolved: boolean;
            }[];
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
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key may see and write. An empty list means all scopes. */
            scopes: string[];
            /**
             * @description The highest sensitivity that the key may see.
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
            /** @description For `consolidate` and `dream`: a dry run asks the chat model too, which costs as much as a real run. */
            ask_model?: boolean;
            /** @description For `dream`: runs only these steps, in their usual order. Default: all. */
            steps?: ("forget" | "cluster" | "peer_cards" | "synthesis" | "probe" | "drift" | "prune_logs")[];
            /** @description For `refresh_importance`: also judges the base importance of records that were stored before 0.2.0, if no importance was named. Each gets one audit entry. Default false. */
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
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key may see and write. An empty list means all scopes. */
            scopes: string[];
            /**
             * @description The highest sensitivity that the key may see.
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
            /** @enum {string} */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @example curator */
            actor: string;
            /** @example it holds everywhere */
            rationale: string;
        };
        Lifecycle: {
            decay: components["schemas"]["Decay"];
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_reinforced_at: string;
            pinned: boolean;
            /** @enum {string} */
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
            /** @description The run computes everything and changes nothing; only its list of changes and its stats remain. */
            dry_run: boolean;
            /** @description The run works only on records of this scope. */
            scope?: string;
            options: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            progress: {
                /** @description The number of records that the run has processed. */
                done: number;
                /** @description The number of records that the run will process, once it is known. */
                total?: number;
            };
            /** @description Counts of what the run did. */
            stats: {
                /** @description For a simulation: a point for each value, in the order of the request. */
                curve?: components["schemas"]["SimulatedPoint"][];
            } & {
                [key: string]: number;
            };
            /** @description Why the run failed. For a run that succeeded, the last record or batch that failed and was skipped. */
            error?: string;
            /** @description How many workers started the run, without those that were stopped and returned it to the queue. */
            attempts: number;
            /** @description The worker that runs it, or ran it last. */
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
            /** @description At least two different ids. A repeated id counts once. */
            ids: string[];
            record: components["schemas"]["NewRecord"];
            /** @example planner */
            actor: string;
            /** @example the team has moved on */
            rationale: string;
        };
        MessagePage: {
            items: (components["schemas"]["ConversationMessage"] | components["schemas"]["RedactedMessage"])[];
            next_cursor?: string;
        };
        /**
         * @example {
         *       "actor": "agent-7"
         *     }
         */
        NewAccess: {
            /** @description Who used the record. The default is the name of the key. */
            actor?: string;
        };
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
            /** @description Any JSON value. All of it is kept. In an object these fields have a meaning. `ref`: a name for the evidence, by which a retry is recognised. `event_kind`, `timeline`, `tool_graph`, `tool_graph_ref`, `outcome`, `artifacts` and `environment`: copied to the episode. `subject`, `predicate` and `object`: a fact, optionally with `validity` and `revision_policy`. For a tool output: `tool_name` (or `tool`), `args`, `result` and `depends_on`. For a working state: `thread_id` (required), `state`, `active_constraints`, `next_actions`, `open_questions` and `context_summary`. For an outcome: `target_id`, `outcome` (both required) and `rationale`. */
            content: unknown;
            /** @description The circumstances of the event. Kept with the content. */
            context?: {
                [key: string]: unknown;
            };
            reason_to_remember?: string;
            /** @enum {string} */
            proposed_type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            summary?: string;
            tags?: string[];
            scope?: string;
            /** @enum {string} */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * Format: date-time
             * @description When it happened. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            timestamp?: string;
            /** @description The conversation that the event belongs to, beside its messages. Not used for working states and outcomes. */
            conversation?: {
                id: string;
                /**
                 * @description The order among events of the same `timestamp`: microseconds after it. Equal ones follow as they arrive.
                 * @default 0
                 */
                position?: number;
            };
            /** @enum {string} */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description The base importance of the stored records. */
            importance?: number;
            /** @enum {string} */
            memory_kind?: "fact" | "procedure" | "narrative";
        };
        /**
         * @example {
         *       "predicate": "supports",
         *       "target_id": "0197b9a0-0000-7000-8000-000000000001",
         *       "weight": 0.8
         *     }
         */
        NewEdge: {
            predicate: string;
            /** Format: uuid */
            target_id: string;
            /** @description Default 1. */
            weight?: number;
            /** @description Default: the key's name. */
            actor?: string;
            rationale?: string;
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
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key may see and write. An empty list means all scopes. */
            scopes?: string[];
            /**
             * @description The highest sensitivity that the key may see; default `low`.
             * @enum {string}
             */
            max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /**
             * @description The source type of its records. The default is `ingest`, or the source type of the calling key if that is less trusted.
             * @enum {string}
             */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            /** @description Must be in the future. By default the key expires with the calling key: never, if that key does not expire. */
            expires_at?: string | null;
        };
        /** @description Fields that are absent are taken from the lifecycle policy of the record type. */
        NewLifecycle: {
            decay?: {
                /** @enum {string} */
                curve?: "exponential" | "linear" | "custom" | "huber" | "elastic";
                half_life_seconds?: number;
                min_salience?: number;
                /** @description 0 means no maximum age. */
                max_age_seconds?: number;
                reinforcement_gain?: number;
                /** @description The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience. */
                max_salience?: number | null;
            };
            pinned?: boolean;
            /** @enum {string} */
            deletion_policy?: "auto_prune" | "manual_only" | "never";
            /**
             * Format: date-time
             * @description Must not be in the future.
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
             * @description The job.
             * @enum {string}
             */
            job: "decay" | "consolidate" | "dream" | "compress" | "embed" | "purge" | "refresh_importance";
            /** @description Default false. */
            dry_run?: boolean;
            /** @description The run works only on records of this scope. */
            scope?: string;
            options?: components["schemas"]["JobOptions"];
        };
        NewMessage: {
            /** @description The id of the message, unique in the conversation. */
            id?: string;
            /** @description Who writes: `user`, `assistant`, `tool`, `system` or any other word. */
            role: string;
            /** @description The name of the writer. A question that names them finds their messages before those of others. */
            name?: string;
            /** @description The text, stored as it is. */
            content: string;
            /**
             * Format: date-time
             * @description When it was written; not in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            at?: string;
            /** @description Stored, but not searched. */
            metadata?: {
                [key: string]: unknown;
            };
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
            scope?: string;
            /** @enum {string} */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            tags?: string[];
            /** @enum {string} */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            messages: components["schemas"]["NewMessage"][];
        };
        /** @description The payload for the record's `type`. Empty lists may be left out. */
        NewPayload: {
            /** @constant */
            kind: "episodic";
            /** @description The place of a message in its conversation. */
            conversation?: {
                /** @description The conversation, unique in its scope. */
                id: string;
                /** @description Unique in the conversation. */
                message_id: string;
                /** @description Ascends in the order of the conversation, with gaps. */
                position?: number;
                /**
                 * Format: date-time
                 * @description When it was written. The order of the messages.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                role: string;
                name?: string;
                metadata?: {
                    [key: string]: unknown;
                };
            };
            timeline?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                t: string;
                event_kind: string;
                ref: string;
                summary?: string;
            }[];
            tool_graph?: {
                id: string;
                tool: string;
                /** @description The arguments of the call. */
                args?: unknown;
                /** @description The result of the call. */
                result?: unknown;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
                depends_on?: string[];
            }[];
            environment?: {
                os?: string;
                os_version?: string;
                tool_versions?: {
                    [key: string]: string;
                };
                working_directory?: string;
                context?: {
                    [key: string]: unknown;
                };
            };
            /** @enum {string} */
            outcome?: "success" | "failure" | "partial";
            artifacts?: string[];
            tool_graph_ref?: string;
        } | {
            /** @constant */
            kind: "working";
            thread_id: string;
            /** @enum {string} */
            state: "planning" | "executing" | "blocked" | "waiting" | "done";
            active_constraints?: {
                type: string;
                key: string;
                /** @description Any JSON value. */
                value: unknown;
                required: boolean;
            }[];
            next_actions?: string[];
            open_questions?: string[];
            context_summary?: string;
        } | {
            /** @constant */
            kind: "entity";
            canonical_name: string;
            primary_type: string;
            types?: string[];
            aliases?: ({
                value: string;
                kind?: string;
                locale?: string;
            } | string)[];
            identifiers?: {
                namespace: string;
                value: string;
            }[];
            summary?: string;
        } | {
            /** @constant */
            kind: "semantic";
            subject: string;
            predicate: string;
            /** @description Any JSON value. */
            object: unknown;
            validity?: {
                /** @enum {string} */
                mode: "global" | "conditional" | "timeboxed";
                conditions?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                start?: string;
                /**
                 * Format: date-time
                 * @description Of a timeboxed fact: after its start.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                end?: string;
            };
            evidence?: {
                /** @enum {string} */
                source_type: "event" | "tool" | "observation" | "human";
                source_id: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp: string;
            }[];
            /** @enum {string} */
            revision_policy?: "replace" | "fork" | "contest";
            /** @description Written by revisions. A new record may only state `{"status": "active"}`. */
            revision?: {
                /** Format: uuid */
                supersedes?: string;
                /** Format: uuid */
                superseded_by?: string;
                /** @enum {string} */
                status: "active" | "contested" | "retracted";
            };
        } | {
            /** @constant */
            kind: "competence";
            skill_name: string;
            triggers?: {
                signal: string;
                conditions?: {
                    [key: string]: unknown;
                };
            }[];
            recipe?: {
                step: string;
                tool?: string;
                args_schema?: {
                    [key: string]: unknown;
                };
                validation?: string;
            }[];
            required_tools?: string[];
            failure_modes?: string[];
            fallbacks?: string[];
            performance?: {
                success_count: number;
                failure_count: number;
                success_rate: number;
                avg_latency_ms?: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_used_at?: string;
            };
            version?: string;
        } | {
            /** @constant */
            kind: "plan_graph";
            plan_id: string;
            version: string;
            intent?: string;
            constraints?: {
                [key: string]: unknown;
            };
            inputs_schema?: {
                [key: string]: unknown;
            };
            outputs_schema?: {
                [key: string]: unknown;
            };
            nodes?: {
                id: string;
                op: string;
                params?: {
                    [key: string]: unknown;
                };
                /** @description The conditions under which the node may run. */
                guards?: unknown;
            }[];
            edges?: {
                from: string;
                to: string;
                /** @enum {string} */
                kind: "data" | "control";
            }[];
            metrics?: {
                avg_latency_ms?: number;
                failure_rate?: number;
                execution_count: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_executed_at?: string;
            };
        };
        /**
         * @example {
         *       "job": "decay"
         *     }
         */
        NewPlan: {
            /**
             * @description The job.
             * @enum {string}
             */
            job: "decay" | "consolidate" | "dream" | "compress" | "purge" | "refresh_importance";
            options?: components["schemas"]["JobOptions"];
            /** @description Only records of this scope. */
            scope?: string;
        };
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
        NewRecord: {
            /**
             * Format: uuid
             * @description Any UUID except the nil UUID. The service generates one if it is absent.
             */
            id?: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            confidence?: number;
            salience?: number;
            scope?: string;
            tags?: string[];
            /**
             * Format: date-time
             * @description Not in the future; default now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
            lifecycle?: components["schemas"]["NewLifecycle"];
            provenance?: components["schemas"]["Provenance"];
            relations?: components["schemas"]["NewRelation"][];
            payload: components["schemas"]["NewPayload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description Default: judged from the content; `/explain` shows how. */
            base_importance?: number;
            emotional_valence?: number;
            /** @enum {string} */
            layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @enum {string} */
            memory_kind?: "fact" | "procedure" | "narrative";
            /** @enum {string} */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
        };
        NewRelation: {
            predicate: string;
            /** Format: uuid */
            target_id: string;
            /** @description Default 1. */
            weight?: number;
            /**
             * Format: date-time
             * @description Not in the future; default now.
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at?: string;
        };
        /**
         * @description Exactly one of `half_life`, `budget` and `policies`.
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
            scope?: string;
            /**
             * @description How far back the recorded lives are played again, from 1h to 365d.
             * @example 30d
             */
            over: string;
            /** @description Half-lives of the records of one type. */
            half_life?: {
                /** @enum {string} */
                type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @description The half-lives to compare, in this order. */
                seconds: number[];
            };
            /** @description Budgets of each scope. Exactly one of `max_records` and `max_bytes`. */
            budget?: {
                /** @description Numbers of records that a scope may hold. */
                max_records?: number[];
                /** @description Numbers of bytes that the records of a scope may have, about as JSON. */
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
             * @description Lower-case letters, digits and hyphens, beginning with a letter; not `public`.
             * @example acme
             */
            id: string;
            /**
             * @description A database on another server of PostgreSQL 15 or newer, with user and password, where the schema of the tenant is created. Several tenants may have the same. It is stored encrypted with `MEMBRANE_TENANT_KEY`. Its only parameter can be `sslmode`. Absent: the main database.
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
            actor: string;
            rationale: string;
            /** @description Actions of the run, and ids of records: only these changes are taken back. */
            only?: (("prune" | "forget" | "promote" | "create" | "reinforce" | "revise" | "compress" | "archive" | "rescore" | "merge" | "unmerge" | "supersede" | "relate" | "candidate" | "probe_challenge" | "drift_challenge" | "drift_invalidate" | "drift_restore" | "reduce" | "purge" | "undo") | string)[];
            /** @default false */
            dry_run?: boolean;
        };
        OmittedRecord: {
            /** Format: uuid */
            record_id: string;
            /**
             * @description `budget`: it does not fit. `repetition`: a line says the same. `not_selected`: another skill or plan fits better.
             * @enum {string}
             */
            reason: "budget" | "repetition" | "not_selected";
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
            /** @enum {string} */
            outcome: "success" | "failure" | "partial";
            actor: string;
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
            /** @description null for the root key, and for a caller without a key. */
            id: string | null;
            /** @description The name of the key in audit entries and sources. */
            name: string;
            permissions: ("records:read" | "records:write" | "lifecycle:write" | "maintenance:run" | "admin")[];
            /** @description The scopes that the key may see and write. An empty list means all scopes. */
            scopes: string[];
            /**
             * @description The highest sensitivity that the key may see.
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
        Payload: {
            /** @constant */
            kind: "episodic";
            /** @description The place of a message in its conversation. */
            conversation?: {
                /** @description The conversation, unique in its scope. */
                id: string;
                /** @description Unique in the conversation. */
                message_id: string;
                /** @description Ascends in the order of the conversation, with gaps. */
                position?: number;
                /**
                 * Format: date-time
                 * @description When it was written. The order of the messages.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                role: string;
                name?: string;
                metadata?: {
                    [key: string]: unknown;
                };
            };
            timeline: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                t: string;
                event_kind: string;
                ref: string;
                summary?: string;
            }[];
            tool_graph: {
                id: string;
                tool: string;
                /** @description The arguments of the call. */
                args?: unknown;
                /** @description The result of the call. */
                result?: unknown;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
                depends_on?: string[];
            }[];
            environment?: {
                os?: string;
                os_version?: string;
                tool_versions?: {
                    [key: string]: string;
                };
                working_directory?: string;
                context?: {
                    [key: string]: unknown;
                };
            };
            /** @enum {string} */
            outcome?: "success" | "failure" | "partial";
            artifacts: string[];
            tool_graph_ref?: string;
        } | {
            /** @constant */
            kind: "working";
            thread_id: string;
            /** @enum {string} */
            state: "planning" | "executing" | "blocked" | "waiting" | "done";
            active_constraints: {
                type: string;
                key: string;
                /** @description Any JSON value. */
                value: unknown;
                required: boolean;
            }[];
            next_actions: string[];
            open_questions: string[];
            context_summary?: string;
        } | {
            /** @constant */
            kind: "entity";
            canonical_name: string;
            primary_type: string;
            types: string[];
            aliases: {
                value: string;
                kind?: string;
                locale?: string;
            }[];
            identifiers: {
                namespace: string;
                value: string;
            }[];
            summary?: string;
        } | {
            /** @constant */
            kind: "semantic";
            subject: string;
            predicate: string;
            /** @description Any JSON value. */
            object: unknown;
            validity: {
                /** @enum {string} */
                mode: "global" | "conditional" | "timeboxed";
                conditions?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                start?: string;
                /**
                 * Format: date-time
                 * @description Of a timeboxed fact: after its start.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                end?: string;
            };
            evidence: {
                /** @enum {string} */
                source_type: "event" | "tool" | "observation" | "human";
                source_id: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp: string;
            }[];
            /** @enum {string} */
            revision_policy?: "replace" | "fork" | "contest";
            /** @description Written by revisions. A new record may only state `{"status": "active"}`. */
            revision?: {
                /** Format: uuid */
                supersedes?: string;
                /** Format: uuid */
                superseded_by?: string;
                /** @enum {string} */
                status: "active" | "contested" | "retracted";
            };
        } | {
            /** @constant */
            kind: "competence";
            skill_name: string;
            triggers: {
                signal: string;
                conditions?: {
                    [key: string]: unknown;
                };
            }[];
            recipe: {
                step: string;
                tool?: string;
                args_schema?: {
                    [key: string]: unknown;
                };
                validation?: string;
            }[];
            required_tools: string[];
            failure_modes: string[];
            fallbacks: string[];
            performance?: {
                success_count: number;
                failure_count: number;
                success_rate: number;
                avg_latency_ms?: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_used_at?: string;
            };
            version?: string;
        } | {
            /** @constant */
            kind: "plan_graph";
            plan_id: string;
            version: string;
            intent?: string;
            constraints?: {
                [key: string]: unknown;
            };
            inputs_schema?: {
                [key: string]: unknown;
            };
            outputs_schema?: {
                [key: string]: unknown;
            };
            nodes: {
                id: string;
                op: string;
                params?: {
                    [key: string]: unknown;
                };
                /** @description The conditions under which the node may run. */
                guards?: unknown;
            }[];
            edges: {
                from: string;
                to: string;
                /** @enum {string} */
                kind: "data" | "control";
            }[];
            metrics?: {
                avg_latency_ms?: number;
                failure_rate?: number;
                execution_count: number;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                last_executed_at?: string;
            };
        };
        /**
         * @example {
         *       "amount": 0.3,
         *       "actor": "planner",
         *       "rationale": "it answered the question"
         *     }
         */
        Penalty: {
            /** @description Subtracted from the salience. */
            amount: number;
            /** @example planner */
            actor: string;
            /** @example it answered the question */
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
             * @description Also the id of the dry run that prepares the plan.
             */
            id: string;
            job: string;
            options: {
                [key: string]: unknown;
            };
            /** @description Only records of this scope. */
            scope?: string;
            /**
             * @description `stale`: a record moved since the plan was prepared, and is skipped when the plan is applied. `expired`: it is too old to be applied.
             * @enum {string}
             */
            status: "preparing" | "ready" | "stale" | "applied" | "expired" | "failed";
            /** @description Names exactly this plan when it is applied. Present once it is prepared. */
            digest?: string;
            /** @description The number of changes by action, of the records that the key may see. */
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
            /** @description The digest of the plan that you read. */
            digest: string;
            /** @description Actions and ids of records: only these changes are made. */
            only?: (("prune" | "forget" | "promote" | "create" | "reinforce" | "revise" | "compress" | "archive" | "rescore" | "merge" | "unmerge" | "supersede" | "relate" | "candidate" | "probe_challenge" | "drift_challenge" | "drift_invalidate" | "drift_restore" | "reduce" | "purge" | "undo") | string)[];
            /** @description Actions and ids of records: these changes are not made. */
            except?: (("prune" | "forget" | "promote" | "create" | "reinforce" | "revise" | "compress" | "archive" | "rescore" | "merge" | "unmerge" | "supersede" | "relate" | "candidate" | "probe_challenge" | "drift_challenge" | "drift_invalidate" | "drift_restore" | "reduce" | "purge" | "undo") | string)[];
        };
        PlanChange: {
            /** Format: uuid */
            record_id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /**
             * @description As in the changes of a run.
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
             * @description The record is one level above the key, so its values are not shown.
             * @constant
             */
            redacted?: true;
        };
        PlanChangePage: {
            items: components["schemas"]["PlanChange"][];
            next_cursor?: string;
        };
        PlanGroup: {
            action: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            count: number;
            /** @description The sum of the salience of the records now. */
            salience: number;
            /** @description About the size of the records as JSON. */
            bytes: number;
            /** @description The record of the group that is worth most. */
            most_valuable?: {
                /** Format: uuid */
                record_id: string;
                /** @description Higher is kept longer. */
                keeping: number;
            };
        };
        PlanPage: {
            items: components["schemas"]["Plan"][];
            next_cursor?: string;
        };
        /** @description Values count only for records that the key sees whole. */
        PlanSummary: {
            groups: components["schemas"]["PlanGroup"][];
        };
        /** @description The default lifecycle of new records of a type: how they fade, and whether they may be deleted. */
        Policy: {
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            decay: components["schemas"]["Decay"];
            /** @enum {string} */
            deletion_policy: "auto_prune" | "manual_only" | "never";
        };
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
        PolicyChoice: {
            decay: components["schemas"]["Decay"];
            /** @enum {string} */
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
            code: "above_ceiling" | "already_retracted" | "already_superseded" | "body_too_large" | "budget_not_found" | "budget_too_small" | "conversation_not_found" | "database_unavailable" | "deletion_policy_never" | "digest_mismatch" | "episodic_immutable" | "erased_content" | "evidence_required" | "forbidden" | "headers_too_large" | "idempotency_key_reused" | "identifier_taken" | "if_match_required" | "internal_error" | "invalid_cursor" | "invalid_idempotency_key" | "invalid_position" | "invalid_transition" | "job_not_found" | "key_not_found" | "malformed_json" | "malformed_request" | "message_conflict" | "method_not_allowed" | "model_unavailable" | "no_drift_roots" | "no_further_layer" | "no_vectors" | "not_ready" | "not_revisable" | "not_undoable" | "number_too_large" | "outside_trust" | "overloaded" | "payload_immutable" | "plan_expired" | "plan_not_found" | "plan_not_ready" | "rate_limited" | "record_erased" | "record_exists" | "record_forgotten" | "record_not_forgotten" | "record_not_found" | "record_pinned" | "record_purged" | "record_retracted" | "relation_not_found" | "request_in_progress" | "request_timeout" | "reserved_predicate" | "route_not_found" | "run_finished" | "run_not_found" | "scope_mismatch" | "scope_required" | "sensitivity_lowered" | "shutting_down" | "tenant_copy_differs" | "tenant_exists" | "tenant_key_missing" | "tenant_not_found" | "tenant_not_suspended" | "tenant_suspended" | "tombstone_key_mismatch" | "tombstone_key_missing" | "tombstone_not_found" | "type_mismatch" | "unauthenticated" | "unsupported_media_type" | "validation_failed" | "version_mismatch" | "worth_model_not_found";
            /** @description The id of the request; find it in the log. */
            request_id: string;
            /** @description Every place in the request that is wrong. */
            errors?: components["schemas"]["Fault"][];
        };
        PromptContext: {
            /** @description To put into a prompt. Empty if nothing was found or nothing fits; as JSON a document with the `notice` alone, unless `max_tokens` is too small for that. */
            text: string;
            /** @description At most `max_tokens`. Letters and spaces count 0.25, digits and signs 0.8, and characters outside ASCII half of their UTF-8 bytes. Random letters, as in base64, can be twice as many tokens. */
            token_estimate: number;
            /** @description The records in the text, in its order. */
            items: components["schemas"]["ContextItem"][];
            /** @description The records that were found, that the key sees whole, and that are not in the text; the most relevant first. */
            omitted: components["schemas"]["OmittedRecord"][];
        };
        Provenance: {
            sources: {
                /** @enum {string} */
                kind: "event" | "artifact" | "tool_call" | "observation" | "outcome";
                ref: string;
                hash?: string;
                created_by?: string;
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                timestamp?: string;
            }[];
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
            /** @example planner */
            actor: string;
            /** @example it answered the question */
            rationale: string;
        };
        Record: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            scope?: string;
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
            version: number;
            lifecycle: components["schemas"]["Lifecycle"];
            provenance: components["schemas"]["Provenance"];
            /** @description Oldest first, at most 1,000. `/v1/records/{id}/relations` lists all of them. */
            relations: components["schemas"]["Relation"][];
            payload: components["schemas"]["Payload"];
            interpretation?: components["schemas"]["Interpretation"];
            /** @description The newest 50, oldest first. */
            audit_log: components["schemas"]["AuditEntry"][];
            /** @enum {string} */
            layer: "working" | "episodic" | "semantic" | "procedural" | "codebase";
            /** @enum {string} */
            memory_kind: "fact" | "procedure" | "narrative";
            /** @enum {string} */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            importance: number;
            base_importance: number;
            access_count: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            last_accessed_at?: string;
            /** @enum {string} */
            source_type: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
            emotional_valence: number;
            confirmation_count: number;
            forgotten?: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                at: string;
                reason: string;
                actor: string;
                /** Format: uuid */
                run_id?: string;
                /**
                 * Format: date-time
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
             * @description The value of `updated_after` for the next poll. Present if this request had one, and the same on every page. A client that uses it misses no change but can see a change more than once.
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
            tags?: string[] | null;
            scope?: string | null;
            sensitivity?: ("public" | "low" | "medium" | "high" | "hyper") | null;
            confidence?: number | null;
            lifecycle?: {
                decay?: {
                    curve?: ("exponential" | "linear" | "custom" | "huber" | "elastic") | null;
                    half_life_seconds?: number | null;
                    min_salience?: number | null;
                    max_age_seconds?: number | null;
                    reinforcement_gain?: number | null;
                    /** @description The highest salience that reinforcement reaches. Null means 1,000, the highest possible salience. */
                    max_salience?: number | null;
                };
                pinned?: boolean | null;
                deletion_policy?: ("auto_prune" | "manual_only" | "never") | null;
            };
            memory_kind?: ("fact" | "procedure" | "narrative") | null;
            base_importance?: number | null;
            emotional_valence?: number | null;
            /** @description Merged into the payload of a working or an entity record. */
            payload?: {
                [key: string]: unknown;
            };
        };
        /** @description The answer to a write by a key without the permission records:read. */
        RecordReceipt: {
            /** Format: uuid */
            id: string;
            version: number;
        };
        /** @description A message that this key may know of, but not read. */
        RedactedMessage: {
            /** Format: uuid */
            record_id: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            at: string;
            /** @description Ascends in the order of the conversation, with gaps. Negative before 1970. */
            position: number;
            /** @constant */
            redacted: true;
        };
        /** @description What a key sees of a record that is one level above its ceiling. */
        RedactedRecord: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
            /** @enum {string} */
            sensitivity: "public" | "low" | "medium" | "high" | "hyper";
            confidence: number;
            /** @description The salience at the time of the answer. */
            salience: number;
            scope?: string;
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
             * @description Why it was forgotten: `pruned`, `archived`, `budget`, `deleted`.
             * @example pruned
             */
            reason: string;
            /**
             * @description The rule that decided it, as `removal.rule` of explain.
             * @example curve
             */
            rule: string;
            /**
             * Format: uuid
             * @description The run that forgot it; absent for a request of a client.
             */
            run_id?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            forgotten_at: string;
            /**
             * Format: date-time
             * @description When it would have been part of an answer the last time.
             * @example 2026-03-28T09:30:00.000Z
             */
            regretted_at: string;
            /** @description For how many of the questions that were asked again. */
            times: number;
        };
        RegretPage: {
            items: components["schemas"]["Regret"][];
            next_cursor?: string;
        };
        Relation: {
            predicate: string;
            /** Format: uuid */
            target_id: string;
            weight: number;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
        };
        RelationEdge: {
            /** Format: uuid */
            source_id: string;
            predicate: string;
            /** Format: uuid */
            target_id: string;
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
         *       "actor": "planner",
         *       "rationale": "it is needed after all"
         *     }
         */
        Restoration: {
            /** @example planner */
            actor: string;
            /** @example no longer true */
            rationale: string;
        };
        Retrieval: {
            /** @description Roots first, then by hop, then by score. */
            nodes: components["schemas"]["RetrievedNode"][];
            /** @description The followed edges between the returned records. */
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
            /** @description The task, as a sentence. Its words are alternatives; quotes and a leading minus mean the same as in a web search. Without it the most salient records are returned. */
            task_descriptor?: string;
            /** @description Narrows what the key may see. It cannot widen it. */
            trust?: {
                /** @enum {string} */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. */
                scopes?: string[];
                /** @description Who asks, for the access log. */
                actor_id?: string;
            };
            /** @description Only these types. */
            memory_types?: ("episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph")[];
            /**
             * @description Facts only, facts and procedures, or every kind.
             * @default full_context
             * @enum {string}
             */
            mode?: "facts_only" | "facts_plus_rules" | "full_context";
            /** @description Only these layers. */
            layers?: ("working" | "episodic" | "semantic" | "procedural" | "codebase")[];
            /** @description Only these scopes. Records without a scope are left out. */
            scopes?: string[];
            /** @description Only records with all of these tags. */
            tags?: string[];
            /** @description The least salience now, or at `as_of`. */
            min_salience?: number;
            min_importance?: number;
            /** @description Also records of these statuses, besides active ones. */
            include_status?: ("active" | "challenged" | "invalidated" | "merged" | "superseded")[];
            /**
             * @description Also timeboxed facts outside their validity window.
             * @default false
             */
            include_expired?: boolean;
            /**
             * Format: date-time
             * @description Answers as of a past instant. Records, edges and log entries from later are left out. Status, revision state and validity are those of that instant; salience is reconstructed from the log, or from the present anchor where the log is not enough. Everything else is as it is now. Forgotten records stay excluded.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of?: string;
            /**
             * @description The most records found by the question itself.
             * @default 10
             */
            root_limit?: number;
            /**
             * @description The most records in the answer.
             * @default 25
             */
            node_limit?: number;
            /**
             * @description The most edges in the answer.
             * @default 100
             */
            edge_limit?: number;
            /**
             * @description How many edges are followed from each root; 0 for none.
             * @default 1
             */
            max_hops?: number;
            /**
             * @description Count the returned records as served: each once for each key and UTC day.
             * @default true
             */
            record_access?: boolean;
            /**
             * @description Add the reasons for each record, and the matching records that were withheld.
             * @default false
             */
            explain?: boolean;
            /** @description Replaces the vector of `task_descriptor`. It must come from the serving model and have its number of dimensions. */
            query_embedding?: number[];
        };
        RetrievedNode: {
            record: components["schemas"]["SeenRecord"];
            root: boolean;
            hop: number;
            /** @description The product of `fused` and the factors of `signals`; at least the score of an older record that says nearly the same. */
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
            /** @description The version of the record before its last revision. */
            to_version?: number;
            /**
             * Format: uuid
             * @description The last revision of the record, as its audit log names it.
             */
            operation_id?: string;
            /** @example planner */
            actor: string;
            /** @example the team has moved on */
            rationale: string;
        };
        Revised: {
            record: components["schemas"]["WrittenRecord"];
            /** @description The source records with their new versions. */
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
            /** @example planner */
            actor: string;
            /** @example the team has moved on */
            rationale: string;
        };
        RunChange: {
            /** Format: uuid */
            record_id: string;
            /** @description What happened to the record. decay: `prune`, `forget` (for a budget), `promote`. consolidate: `create`, `reinforce`, `compress`. dream: `archive`, `create`, `supersede`, `merge`, `unmerge`, `candidate`, `relate`, `probe_challenge`, `drift_challenge`, `drift_invalidate`, `drift_restore`. purge: `purge`. compress: `reduce`. undo: `undo`, `kept`. Applying a plan: `skipped`. Plans only: `rescore`. Any job: `failed`, for a record that failed and was skipped. */
            action: string;
            before?: {
                [key: string]: unknown;
            };
            after?: {
                [key: string]: unknown;
            };
            note?: string;
            /**
             * @description The record is one level above the key, so its values are not shown.
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
             * @description What the schedule starts: a run, or a plan that waits until somebody applies it.
             * @enum {string}
             */
            mode: "run" | "plan";
            /**
             * Format: date-time
             * @description When a run over all records last succeeded, requested or scheduled.
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
             * @description A duration from 10s to 3650d, such as 90s, 15m, 1h or 30d.
             * @example 1h
             */
            interval?: string;
            /** @description Whether the job runs by itself. */
            enabled?: boolean;
            /**
             * @description What the schedule starts: a run, or a plan that waits until somebody applies it.
             * @enum {string}
             */
            mode?: "run" | "plan";
        };
        SchedulePage: {
            items: components["schemas"]["Schedule"][];
            next_cursor?: string;
        };
        SeenEntity: components["schemas"]["EntityRecord"] | components["schemas"]["RedactedRecord"];
        SeenRecord: components["schemas"]["Record"] | components["schemas"]["RedactedRecord"];
        Selection: {
            /** @description The competences and plans among the roots, best first. */
            selected: string[];
            /** @description How clearly the best one leads. */
            confidence: number;
            /** @description Whether the lead is too small to rely on. */
            needs_more: boolean;
            scores: {
                [key: string]: number;
            };
        };
        Signals: {
            /** @description The channels that found the record; empty for a record that an edge led to. */
            channels: {
                /** @enum {string} */
                channel: "vector" | "text" | "graph" | "time" | "salience";
                rank: number;
                weight: number;
                contribution: number;
            }[];
            /** @description The sum of the contributions, or the share of the score that came over the edge. */
            fused: number;
            /** @description More than 1 for a record of a time that the question names, such as `in May 2023`. */
            time_factor: number;
            /** @description Less than 1 for a message of another speaker, where the question names one. */
            speaker_factor: number;
            salience_factor: number;
            importance_factor: number;
            recency_factor: number;
            /**
             * Format: uuid
             * @description The older record that says nearly the same, if the record took its score.
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
         * @description Exactly one of `record_id` and `text`.
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
             * @description Find records near this record. The record itself is not returned.
             */
            record_id?: string;
            /** @description Find records near this text. */
            text?: string;
            /** @default 10 */
            limit?: number;
            /** @description Narrows what the key may see. It cannot widen it. */
            trust?: {
                /** @enum {string} */
                max_sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                /** @description A subset of the scopes of the key. A scope that the key does not have finds nothing. An empty list means all scopes of the key. */
                scopes?: string[];
                /** @description Who asks, for the access log. */
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
            /** @description About the size of their JSON. */
            bytes_saved: number;
            /** @description How many of them were shown, used or missed afterwards. */
            regretted: number;
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
             * @description When the figures were computed; they are cached for five seconds.
             * @example 2026-03-28T09:30:00.000Z
             */
            as_of: string;
            /** @description Whether the figures marked as sampled below come from a sample, because there are many records. */
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
            /** @description Active and challenged records that fade away in each of the next 7 periods of 24 hours, if nothing happens to them. What is due already is in the first. */
            fading_by_day: {
                /**
                 * Format: date-time
                 * @example 2026-03-28T09:30:00.000Z
                 */
                from: string;
                records: number;
            }[];
            /** @description Entries in the logs of these records (sampled). */
            total_audit_entries: number;
            /** @description The share of records created in the last 24 hours; null without records. */
            memory_growth_rate: number | null;
            /** @description The share of accesses that used a record instead of only showing it (sampled); null without accesses. */
            retrieval_usefulness: number | null;
            /** @description The share of uses of competences that succeeded (sampled); null when none was used. */
            competence_success_rate: number | null;
            /** @description How often a plan was executed on average (sampled); null without plans. */
            plan_reuse_frequency: number | null;
            /** @description The share of records that a revision superseded, merged or invalidated; null without records. */
            revision_rate: number | null;
            /** @description The share of the forgotten records that an answer would have had among its first ten; 0 when nothing was forgotten. Of records that are not purged yet, at most the last 100,000. `GET /v1/regrets` lists them. */
            regret: {
                rate: number;
                /** @description By the reason of the forgetting: `pruned`, `archived`, `budget`, `deleted`. */
                by_reason: {
                    [key: string]: number;
                };
                /** @description By the type of the record. */
                by_type: {
                    [key: string]: number;
                };
                /** @description By the age of the record when it was forgotten: `under_1d`, `1d_to_7d`, `7d_to_30d`, `30d_to_90d`, `over_90d`. */
                by_age: {
                    [key: string]: number;
                };
            };
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
            /** @example planner */
            actor: string;
            /** @example the team has moved on */
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
            /** @description The change of base importance, which stays within 0.05 and 1. */
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
            /** @description The text that would be stored. */
            text: string;
            /** @description The scope that would be searched. Default: the scope of a new record of this key. A scope that the key does not have contains nothing. */
            scope?: string;
            /** @description Without it the text is judged by its content, as that of a fact. */
            base_importance?: number;
        };
        /**
         * @example {
         *       "id": "acme",
         *       "status": "active",
         *       "created_at": "2026-03-28T09:30:00.000Z",
         *       "schema": "t_abcdefghijkl"
         *     }
         */
        Tenant: {
            id: string;
            /**
             * @description `creating`: its creation on a server of its own is not finished; repeat the POST if it was not answered. `suspended`: its keys get 403 and its jobs wait. `dropping`: its keys get 401; repeat the DELETE if it was not answered.
             * @enum {string}
             */
            status: "creating" | "active" | "suspended" | "dropping";
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
            /** @description The schema of PostgreSQL that has its data, for `pg_dump` and similar tools. */
            schema: string;
            /** @description The database of a tenant on a server of its own; absent for one in the main database. User and password are never shown. */
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
            /** @example operations */
            actor: string;
            /** @example the contract has ended */
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
            database_url: string | null;
            /** @example operations */
            actor: string;
            /** @example the contract has ended */
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
            /** @description How many rows of each kind were removed; empty when the data were left where they are. */
            removed: {
                [key: string]: number;
            };
            /** @description With `abandon`: where the data of the tenant are still. */
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
            /** @description What the text is about. Default: the first known entity that the text names, else the scope. */
            about?: string;
            scope?: string;
            tags?: string[];
            /**
             * Format: date-time
             * @description When it happened. Must not be in the future. Default: now.
             * @example 2026-03-28T09:30:00.000Z
             */
            occurred_at?: string;
            /** @enum {string} */
            sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
            /** @enum {string} */
            source_type?: "human" | "ai" | "interaction" | "ingest" | "code_scan" | "dream" | "auto_extracted";
        };
        /** @description A mark that some content was erased from a scope. The same content cannot be stored there again. */
        Tombstone: {
            /** Format: uuid */
            id: string;
            scope?: string;
            /**
             * Format: date-time
             * @example 2026-03-28T09:30:00.000Z
             */
            created_at: string;
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
            /** @enum {string} */
            status: "active" | "challenged" | "invalidated" | "merged" | "superseded";
            /** @example the source took it back */
            reason: string;
            /** @example reviewer */
            actor: string;
        };
        /**
         * @description The key that made the change, written by the service; `actor` is the name that the caller gave. Absent if a job of the service made the change, and in entries of versions that did not store the key.
         * @example {
         *       "key_id": "01981b7e-0000-7000-8000-000000000001",
         *       "key_name": "agent"
         *     }
         */
        Via: {
            /** @description The id of the key, `root` or `anonymous`. */
            key_id?: string;
            key_name?: string;
            /** @description The key that imported the entry. All other members of the entry are then copied from the import line. */
            imported_by?: {
                /** @description The id of the key, `root` or `anonymous`. */
                key_id: string;
                key_name: string;
            };
        };
        /** @description Weights by which the base importance of a new record is judged. */
        WorthModel: {
            id: string;
            /**
             * @description `shipped`: the weights come with the release.
             * @enum {string}
             */
            source: "shipped";
            /** @description Whether new records are judged by it. */
            in_force: boolean;
            /** @description How many uses of this store it was fitted to. */
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
            /** @example planner */
            actor: string;
            /** @example it answered the question */
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
            /** @description Done. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The series. */
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
            /** @description Done. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description The stored records and edges. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Only of this scope. */
                scope?: string;
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description The scope of the conversation. Default: the scope of the key, or none for a key of all scopes. */
                scope?: string;
                /** @description The conversation has no scope, although the key has one. */
                unscoped?: boolean;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
            /** @description The figures. */
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
                /** @description The scope of the conversation. Default: the scope of the key, or none for a key of all scopes. */
                scope?: string;
                /** @description The conversation has no scope, although the key has one. */
                unscoped?: boolean;
                actor: string;
                rationale: string;
                /** @description The `next_cursor` of the answer before: goes on after its messages, also the kept ones. */
                cursor?: string;
            };
            header?: {
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description What became of each message. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description What became of each message. */
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
                /** @description The scope of the conversation. Default: the scope of the key, or none for a key of all scopes. */
                scope?: string;
                /** @description The conversation has no scope, although the key has one. */
                unscoped?: boolean;
                limit?: number;
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description What became of each message. */
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
                 * @description A name or alias, in any case and spacing; or an exact identifier, alone or as `namespace:value`.
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
            query?: never;
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity as of now. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                predicate?: "mentions_entity" | "subject_entity" | "object_entity";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                scope?: string;
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @example 2026-03-28T09:30:00.000Z */
                updated_after?: string;
                /** @description Include forgotten records that can still be restored. */
                include_forgotten?: boolean;
                /** @description Include the vectors of each record. */
                embeddings?: boolean;
                /** @description Continue after this id. Lines are ordered by id. */
                after?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Check every line and store nothing. */
                dry_run?: boolean;
                /** @description The program that the file comes from. Default: found by looking at the beginning of the file. */
                format?: "membrane" | "mem0" | "mcp-memory" | "chatgpt" | "claude" | "letta" | "langgraph" | "openmemory" | "graphiti" | "hindsight" | "basic-memory";
                /** @description What the report lists: every line, or only the first 1,000 lines that are refused. The summary counts all; empty lines keep the connection open. A client that reads nothing before it has sent everything, such as a browser, needs `refused` for a large file. */
                report?: "all" | "refused";
                /** @description Where everything of a foreign file lands. Default: the scope of the key, or none for a key of all scopes. */
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
                "application/zip": components["schemas"]["ForeignFile"];
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
                "application/vnd.sqlite3": components["schemas"]["ForeignFile"];
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
                "application/octet-stream": components["schemas"]["ForeignFile"];
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
                "text/markdown": components["schemas"]["ForeignFile"];
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description The job. */
                job?: "decay" | "consolidate" | "dream" | "compress" | "purge" | "refresh_importance";
                /** @description `stale`: a record moved since the plan was prepared, and is skipped when the plan is applied. `expired`: it is too old to be applied. */
                status?: "preparing" | "ready" | "stale" | "applied" | "expired" | "failed";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description The plan, in preparation. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plan is gone. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
            /** @description The run. */
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
                action?: string;
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                /** @description Only records of this scope. */
                scope?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups. */
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
                job?: "decay" | "consolidate" | "dream" | "compress" | "embed" | "purge" | "refresh_importance" | "simulation" | "undo";
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, until the run has ended. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                /** @description Percent-encoded. */
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
                /** @description Percent-encoded. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Percent-encoded. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                type?: "episodic" | "working" | "entity" | "semantic" | "competence" | "plan_graph";
                scope?: string;
                /** @description The record must have all of these tags. */
                tag?: string[];
                sensitivity?: "public" | "low" | "medium" | "high" | "hyper";
                layer?: "working" | "episodic" | "semantic" | "procedural" | "codebase";
                memory_kind?: "fact" | "procedure" | "narrative";
                status?: "active" | "challenged" | "invalidated" | "merged" | "superseded";
                pinned?: boolean;
                min_salience?: number;
                max_salience?: number;
                /** @example 2026-03-28T09:30:00.000Z */
                created_after?: string;
                /** @example 2026-03-28T09:30:00.000Z */
                created_before?: string;
                /**
                 * @description Only records changed after this time. Pass `next_updated_after` of the answer in the next request.
                 * @example 2026-03-28T09:30:00.000Z
                 */
                updated_after?: string;
                /** @description Full-text search. Use quotes for a phrase, `or` between alternatives, and a leading minus to exclude a word. */
                q?: string;
                include_forgotten?: boolean;
                sort?: "salience" | "importance" | "created_at" | "updated_at";
                order?: "asc" | "desc";
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description The record as stored. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description One result for each record. */
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
            /** @description All are stored. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag that each of the records must have, or `*`; 412 when one of them has another version. Leave it out when their versions differ. */
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
            /** @description The new record and its sources with their new versions. The ETag is that of the new record. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description One result per record, in the order of the request. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
            /** @description One result per record, in the order of the request. */
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
                /** @description Also returns a forgotten record. */
                include_forgotten?: boolean;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record as of now. */
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
                /** @example planner */
                actor: string;
                /** @example no longer true */
                rationale: string;
                /** @description Forget the record even if it is pinned. Needs the permission admin. */
                force?: boolean;
            };
            header?: {
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
            /** @description The record as changed. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
            /** @description The access was counted. */
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
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
            /** @description The new record and its sources with their new versions. The ETag is that of the new record. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The nodes and edges of the tree. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description `out` lists edges that start at the record, `in` those that end at it. */
                direction?: "out" | "in";
                predicate?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
            /** @description The edge existed and has the given weight. */
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
            /** @description The edge was created. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
                id: string;
                predicate: string;
                target_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The edge was removed. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
            /** @description The new record and its sources with their new versions. The ETag is that of the new record. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
                /** @description The ETag of the version to change, or `*`; 412 when the record has another version now. */
                "If-Match"?: string;
            };
            path: {
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
                scope?: string;
                reason?: string;
                /** @description The largest number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: {
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
            /** @description The retrieved records and edges. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
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
                     *           "schema": "t_abcdefghijkl"
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
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
                     *       "schema": "t_abcdefghijkl"
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
                /** @example operations */
                actor: string;
                /** @example the contract has ended */
                rationale: string;
                /** @description Forget a tenant whose own server is lost, without touching that server. What it has there stays there. */
                abandon?: boolean;
            };
            header?: {
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path: {
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
            /** @description Done. */
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
                     *       "schema": "t_abcdefghijkl"
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
            /** @description Done. */
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
                     *       "schema": "t_abcdefghijkl"
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
            /** @description Done. */
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
                     *       "schema": "t_abcdefghijkl"
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
                /** @description The `Membrane-Position` of a write: the answer is of a state after it. Without it, a replica may answer that is some seconds behind. */
                "Membrane-Position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
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
                /** @description Makes a retry safe: within a day, the same request with the same key gets the answer of the first one. */
                "Idempotency-Key"?: string;
            };
            path: {
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
