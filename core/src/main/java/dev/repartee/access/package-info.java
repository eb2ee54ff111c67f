/**
 * Who calls, and what they may call: {@linkplain dev.repartee.access.Principal principals}, the
 * {@linkplain dev.repartee.access.Authenticator authenticators} that find them, and the {@linkplain
 * dev.repartee.access.Access rules} for methods.
 */
@NullMarked
package dev.repartee.access;

import org.jspecify.annotations.NullMarked;
