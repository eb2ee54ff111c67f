/**
 * Measurements of memory: {@link dev.repartee.testkit.memory.HeapCost} measures the heap size of
 * values read from JSON, {@link dev.repartee.testkit.memory.HeldWatch} the bytes in a {@link
 * dev.repartee.limits.MemoryBudget}.
 */
@NullMarked
package dev.repartee.testkit.memory;

import org.jspecify.annotations.NullMarked;
