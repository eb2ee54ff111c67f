/**
 * The TLS of an endpoint: its context from files with certificates ({@link
 * dev.repartee.netty.tls.TlsContext}), the checks of certificates, the threads of handshakes, the
 * description of failures; and the transport of {@code tls:} ({@link
 * dev.repartee.netty.tls.TlsTransport}). Not exported.
 */
@NullMarked
package dev.repartee.netty.tls;

import org.jspecify.annotations.NullMarked;
