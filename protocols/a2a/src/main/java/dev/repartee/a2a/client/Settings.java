package dev.repartee.a2a.client;

import dev.repartee.limits.MemoryBudget;
import java.time.Duration;

/**
 * The settings of streams.
 *
 * @param idleTimeout the maximum time without any byte of the agent
 * @param reconnects the number of attempts to resume a stream
 * @param budget the memory for answers, events and tasks
 */
record Settings(Duration idleTimeout, int reconnects, MemoryBudget budget) {}
