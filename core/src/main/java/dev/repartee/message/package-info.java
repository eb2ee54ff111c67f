/**
 * The messages of JSON-RPC 2.0 and how they are read and written: requests, notifications and
 * responses with their ids and errors ({@link dev.repartee.message.Message}), the {@linkplain
 * dev.repartee.message.Codec codec} of an envelope, and the {@linkplain
 * dev.repartee.message.Dialect dialects} of protocols that use other envelopes or method names.
 * Nothing here knows connections or handlers.
 */
@NullMarked
package dev.repartee.message;

import org.jspecify.annotations.NullMarked;
