/** The options of serving commands about callers: authentication, permissions, quotas, audit. */
@NullMarked
package dev.repartee.cli.access;

import org.jspecify.annotations.NullMarked;
