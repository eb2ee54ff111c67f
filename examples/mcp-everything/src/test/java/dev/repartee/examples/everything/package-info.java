/** Tests of the example, and by it of the whole of MCP over HTTP. */
@NullMarked
package dev.repartee.examples.everything;

import org.jspecify.annotations.NullMarked;
