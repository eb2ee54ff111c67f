/**
 * Outgoing calls that survive failures: {@link dev.repartee.resilience.Resilience} is a layer with
 * a {@link dev.repartee.resilience.Retry}, a {@link dev.repartee.resilience.Hedge}, a {@link
 * dev.repartee.resilience.Breaker}, a {@link dev.repartee.resilience.Bulkhead} and a fallback.
 */
@NullMarked
package dev.repartee.resilience;

import org.jspecify.annotations.NullMarked;
