/**
 * Offers a language server as tools of the Model Context Protocol, by {@link
 * dev.repartee.mcp.lsp.LanguageTools}.
 */
@NullMarked
package dev.repartee.mcp.lsp;

import org.jspecify.annotations.NullMarked;
