/**
 * Debug adapters as tools of MCP: a language model runs a program to a breakpoint, inspects its
 * variables and continues step by step.
 */
@NullMarked
package dev.repartee.mcp.dap;

import org.jspecify.annotations.NullMarked;
