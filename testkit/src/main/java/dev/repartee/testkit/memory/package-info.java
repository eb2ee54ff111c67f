/**
 * Measures memory: the heap size of values read from JSON, and the bytes in a {@link
 * dev.repartee.limits.MemoryBudget}.
 */
@NullMarked
package dev.repartee.testkit.memory;

import org.jspecify.annotations.NullMarked;
