/**
 * Peers of several endpoints: {@link dev.repartee.balance.Balanced} makes them, and a {@link
 * dev.repartee.balance.Policy} picks the endpoint of each call.
 */
@NullMarked
package dev.repartee.balance;

import org.jspecify.annotations.NullMarked;
