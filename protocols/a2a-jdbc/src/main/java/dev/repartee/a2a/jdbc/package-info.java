/**
 * The tasks of agents of the Agent2Agent protocol in a database, H2 or PostgreSQL. {@link
 * dev.repartee.a2a.jdbc.TaskDatabase} is the entry.
 */
@NullMarked
package dev.repartee.a2a.jdbc;

import org.jspecify.annotations.NullMarked;
