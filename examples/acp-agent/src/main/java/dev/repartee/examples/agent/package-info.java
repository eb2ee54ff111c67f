/** An agent of the Agent Client Protocol that uses every feature. */
@NullMarked
package dev.repartee.examples.agent;

import org.jspecify.annotations.NullMarked;
