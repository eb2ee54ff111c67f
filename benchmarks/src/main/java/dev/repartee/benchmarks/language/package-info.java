/**
 * Language servers: {@link dev.repartee.benchmarks.language.LanguageServers} compares those of
 * {@code protocols/lsp} and of LSP4J.
 */
@NullMarked
package dev.repartee.benchmarks.language;

import org.jspecify.annotations.NullMarked;
