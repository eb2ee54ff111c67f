/** The model of plans, and its reader for JSON and YAML. Nothing here runs a plan. */
@NullMarked
package dev.repartee.agents.plan;

import org.jspecify.annotations.NullMarked;
