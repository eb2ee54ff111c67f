/**
 * Push notifications of a server: the addresses of the clients, and the settings of the delivery.
 */
@NullMarked
package dev.repartee.a2a.push;

import org.jspecify.annotations.NullMarked;
