/**
 * The values of the Model Context Protocol: content, resources, requests to the client, and the
 * {@link dev.repartee.mcp.types.Revision revisions}. Servers and clients share them. All types are
 * immutable.
 */
@NullMarked
package dev.repartee.mcp.types;

import org.jspecify.annotations.NullMarked;
