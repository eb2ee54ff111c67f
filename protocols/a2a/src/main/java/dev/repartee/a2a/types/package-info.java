/**
 * The objects of the Agent2Agent protocol (A2A) 1.0: agent cards, messages, tasks and events. The
 * names of types and components are those of {@code a2a.proto}, also for peers with version 0.3:
 * they exchange the same objects in another JSON form. Most of them are generated from that file.
 *
 * <p>Records have a constructor with the required members only, and {@code with...} returns a copy
 * with another member. They copy lists and maps, which are never null: an absent one is empty.
 * Comments cite the specification at a2a-protocol.org by its sections.
 */
@NullMarked
package dev.repartee.a2a.types;

import org.jspecify.annotations.NullMarked;
