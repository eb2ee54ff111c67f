/**
 * The objects of the Agent2Agent protocol (A2A) 1.0: agent cards, messages, tasks and events. Types
 * and components have the names of {@code a2a.proto}. Peers with version 0.3 exchange the same
 * objects in another JSON form. Most types are generated from that file.
 *
 * <p>Records have a constructor with the required members only, and {@code with...} returns a copy
 * with another member. They copy lists and maps, which are never null: an absent list or map is
 * empty. Comments cite the specification at a2a-protocol.org by its sections.
 */
@NullMarked
package dev.repartee.a2a.types;

import org.jspecify.annotations.NullMarked;
