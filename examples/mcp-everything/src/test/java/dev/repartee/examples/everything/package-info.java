/** Tests of the example server, and through it of MCP over HTTP as a whole. */
@NullMarked
package dev.repartee.examples.everything;

import org.jspecify.annotations.NullMarked;
