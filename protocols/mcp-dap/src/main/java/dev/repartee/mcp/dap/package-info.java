/**
 * Debug adapters as tools of MCP: a language model runs a program to a breakpoint, looks at its
 * variables and goes on in steps.
 */
@NullMarked
package dev.repartee.mcp.dap;

import org.jspecify.annotations.NullMarked;
