/** An annotation processor that keeps the Javadoc of services for {@code rpc.discover}. */
@NullMarked
package dev.repartee.javadoc;

import org.jspecify.annotations.NullMarked;
