package io.millrace.rpc;

/**
 * Marks an interface whose methods are calls to an endpoint. Each method takes one record, of a
 * different class per method, and returns a {@code CompletableFuture} of a record, or {@code void}
 * for a one-way message.
 */
public interface Gateway {}
