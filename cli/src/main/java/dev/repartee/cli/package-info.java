/**
 * The command {@code repartee}: what curl is for HTTP, for JSON-RPC 2.0.
 *
 * <p>Each command is one class with picocli's annotations; what several of them take is a mixin
 * ({@code Connection}, {@code Arguments}). A new command is a class and a line in {@link
 * dev.repartee.cli.Main}.
 */
@NullMarked
package dev.repartee.cli;

import org.jspecify.annotations.NullMarked;
