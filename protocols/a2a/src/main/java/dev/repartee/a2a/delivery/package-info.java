/** Sends push notifications. Not exported. */
@NullMarked
package dev.repartee.a2a.delivery;

import org.jspecify.annotations.NullMarked;
