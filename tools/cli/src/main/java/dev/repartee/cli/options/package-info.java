/**
 * The options that several commands share, and the connections and servers that they describe. A
 * command includes a group of options as a mixin ({@code Connection}, {@code Arguments}).
 */
@NullMarked
package dev.repartee.cli.options;

import org.jspecify.annotations.NullMarked;
