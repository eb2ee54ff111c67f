/**
 * Keeps durable runs in a PostgreSQL database, with {@link
 * dev.repartee.agents.postgres.DurableRuns} and the durable-execution engine DBOS Transact.
 */
@NullMarked
package dev.repartee.agents.postgres;

import org.jspecify.annotations.NullMarked;
