/**
 * Callers and their permissions: {@linkplain dev.repartee.access.Principal principals}, the
 * {@linkplain dev.repartee.access.Authenticator authenticators} that determine them, and the
 * {@linkplain dev.repartee.access.Access rules} for methods.
 */
@NullMarked
package dev.repartee.access;

import org.jspecify.annotations.NullMarked;
