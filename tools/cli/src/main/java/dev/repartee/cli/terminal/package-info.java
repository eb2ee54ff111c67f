/**
 * The process around a command: its standard streams, the terminal behind them, its messages and
 * its exit codes. Nothing here knows a command.
 */
@NullMarked
package dev.repartee.cli.terminal;

import org.jspecify.annotations.NullMarked;
