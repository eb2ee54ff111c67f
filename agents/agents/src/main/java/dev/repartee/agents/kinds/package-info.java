/** Connects to agents of each protocol, and runs agents in this process. */
@NullMarked
package dev.repartee.agents.kinds;

import org.jspecify.annotations.NullMarked;
