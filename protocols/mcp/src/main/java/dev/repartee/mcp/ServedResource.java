package dev.repartee.mcp;

/** A resource and its reader. */
record ServedResource(Resource resource, Resource.Reader reader) {}
