/** The commands for plans of several agents: {@code repartee agents}. */
@NullMarked
package dev.repartee.cli.agents;

import org.jspecify.annotations.NullMarked;
