/**
 * The types that every agent shares: {@link dev.repartee.agents.Agent}, its tasks, its questions to
 * a human, and its failures.
 */
@NullMarked
package dev.repartee.agents;

import org.jspecify.annotations.NullMarked;
