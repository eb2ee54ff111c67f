/** The transports and framings of core. */
package dev.repartee.contracts.core;
