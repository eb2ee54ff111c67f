/** The transports of netty. */
package dev.repartee.contracts.netty;
