/** The kinds of agents, and their discovery. */
@NullMarked
package dev.repartee.agents.kinds;

import org.jspecify.annotations.NullMarked;
