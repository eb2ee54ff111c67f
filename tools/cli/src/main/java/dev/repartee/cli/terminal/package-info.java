/**
 * The process around a command: its standard streams, the terminal behind them, its messages and
 * its exit codes. This package does not depend on any command.
 */
@NullMarked
package dev.repartee.cli.terminal;

import org.jspecify.annotations.NullMarked;
