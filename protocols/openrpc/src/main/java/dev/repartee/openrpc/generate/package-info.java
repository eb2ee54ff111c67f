/**
 * Code that calls services, and reference pages, from OpenRPC documents: {@link
 * dev.repartee.openrpc.generate.Generation}. A schema becomes a type without a language first, which
 * the generator of each language writes in its own way. Everything else is package-private.
 */
@NullMarked
package dev.repartee.openrpc.generate;

import org.jspecify.annotations.NullMarked;
