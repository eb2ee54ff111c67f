/**
 * Authentication and quotas of servers: {@link dev.repartee.security.Authenticators} for passwords,
 * keys, tokens, certificates and users of this machine, {@link dev.repartee.security.Sessions} for
 * web pages, and {@link dev.repartee.security.Quota}.
 */
@NullMarked
package dev.repartee.security;

import org.jspecify.annotations.NullMarked;
