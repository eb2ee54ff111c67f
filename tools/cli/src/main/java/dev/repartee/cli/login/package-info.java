/**
 * The login of the MCP commands with OAuth: its options, the browser, the registration of the
 * client and the stored tokens.
 */
@NullMarked
package dev.repartee.cli.login;

import org.jspecify.annotations.NullMarked;
