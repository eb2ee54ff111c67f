/**
 * {@link dev.repartee.limits.Limits} holds the limits of one endpoint, {@link
 * dev.repartee.limits.MemoryBudget} the memory budget of the process. A {@link
 * dev.repartee.limits.LimitException} reports an exceeded limit. {@link
 * dev.repartee.limits.TimeLimits} watches the time limits of one connection. {@link
 * dev.repartee.limits.NetworkRange} classifies the addresses that a peer may make this process
 * connect to.
 */
@NullMarked
package dev.repartee.limits;

import org.jspecify.annotations.NullMarked;
