/** {@code repartee mcp}: the commands for the Model Context Protocol. */
@NullMarked
package dev.repartee.cli.mcp;

import org.jspecify.annotations.NullMarked;
