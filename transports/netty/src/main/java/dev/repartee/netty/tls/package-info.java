/**
 * The TLS of an endpoint ({@link dev.repartee.netty.tls.Tls}): its context from PEM files, the
 * checks of certificates, the threads of handshakes, and the description of failures. Not exported.
 */
@NullMarked
package dev.repartee.netty.tls;

import org.jspecify.annotations.NullMarked;
