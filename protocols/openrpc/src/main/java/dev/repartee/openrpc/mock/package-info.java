/**
 * A service that imitates the service of an OpenRPC document: {@link
 * dev.repartee.openrpc.mock.MockService} checks params, and answers with examples or with values
 * that fit the schemas.
 */
@NullMarked
package dev.repartee.openrpc.mock;

import org.jspecify.annotations.NullMarked;
