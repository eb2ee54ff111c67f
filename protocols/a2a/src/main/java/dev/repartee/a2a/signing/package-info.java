/**
 * Signatures: of agent cards (section 8.4), and of push notifications. Only algorithms of the JDK
 * are used.
 */
@NullMarked
package dev.repartee.a2a.signing;

import org.jspecify.annotations.NullMarked;
