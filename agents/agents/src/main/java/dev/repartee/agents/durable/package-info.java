/** The journal of runs that resume after an interruption. */
@NullMarked
package dev.repartee.agents.durable;

import org.jspecify.annotations.NullMarked;
