/**
 * Durable runs in a PostgreSQL database, by {@link dev.repartee.agents.postgres.DurableRuns}. The
 * engine below is DBOS Transact.
 */
@NullMarked
package dev.repartee.agents.postgres;

import org.jspecify.annotations.NullMarked;
