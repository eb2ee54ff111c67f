/** The limits: servers that answer each request with prepared bytes. */
@NullMarked
package dev.repartee.benchmarks.raw;

import org.jspecify.annotations.NullMarked;
