/**
 * The HTTP client for servers that are not trusted, such as issuers of tokens and receivers of
 * notifications. Exported only to modules of this toolkit that require {@code java.net.http}: core
 * itself works without that module.
 */
@NullMarked
package dev.repartee.transport.http.client;

import org.jspecify.annotations.NullMarked;
