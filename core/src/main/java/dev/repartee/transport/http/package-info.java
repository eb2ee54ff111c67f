/**
 * HTTP beyond one message in a POST: requests and responses of servers, acceptors with several
 * paths, and a sender of single requests. The transports that need only the JDK use none of it.
 */
@NullMarked
package dev.repartee.transport.http;

import org.jspecify.annotations.NullMarked;
