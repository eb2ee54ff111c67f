/** Brokers on loopback, for tests and measurements. */
@NullMarked
package dev.repartee.broker.server;

import org.jspecify.annotations.NullMarked;
