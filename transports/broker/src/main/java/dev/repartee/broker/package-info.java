/**
 * The parts of a transport over a message broker that do not depend on the broker.
 * {@link dev.repartee.broker.RequestChannel} is the channel of a client over a
 * {@link dev.repartee.broker.RequestLink}, and {@link dev.repartee.broker.Worker} serves each
 * {@link dev.repartee.broker.Delivery}; a transport implements these two interfaces. Applications
 * do not need this package.
 */
@NullMarked
package dev.repartee.broker;

import org.jspecify.annotations.NullMarked;
