/** Threads, timers and exceptions of this module; not exported. */
@NullMarked
package dev.repartee.agents.internal;

import org.jspecify.annotations.NullMarked;
