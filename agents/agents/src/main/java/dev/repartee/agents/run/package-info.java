/**
 * Runs plans: {@link dev.repartee.agents.run.Orchestrator}, the state of a run, and its picture.
 */
@NullMarked
package dev.repartee.agents.run;

import org.jspecify.annotations.NullMarked;
