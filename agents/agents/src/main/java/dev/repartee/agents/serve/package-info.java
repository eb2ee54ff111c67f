/** Serves an agent, such as a plan, to other programs. */
@NullMarked
package dev.repartee.agents.serve;

import org.jspecify.annotations.NullMarked;
