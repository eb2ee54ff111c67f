/** {@link dev.repartee.benchmarks.agents.PlanRuns} measures runs of plans. */
@NullMarked
package dev.repartee.benchmarks.agents;

import org.jspecify.annotations.NullMarked;
