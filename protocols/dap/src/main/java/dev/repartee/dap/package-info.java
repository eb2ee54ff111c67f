/**
 * Debug adapters and their clients: {@link dev.repartee.dap.DapServer} serves the object of an
 * application in the order that DAP prescribes, and {@link dev.repartee.dap.DapClient} controls an
 * adapter.
 *
 * <p>The messages are in {@link dev.repartee.dap.handlers}, their types in {@link
 * dev.repartee.dap.types}.
 */
@NullMarked
package dev.repartee.dap;

import org.jspecify.annotations.NullMarked;
