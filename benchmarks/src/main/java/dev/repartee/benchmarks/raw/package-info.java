/**
 * The limits: servers that answer each request with prepared bytes, such as {@link
 * dev.repartee.benchmarks.raw.RawLoop}.
 */
@NullMarked
package dev.repartee.benchmarks.raw;

import org.jspecify.annotations.NullMarked;
