package io.millrace.rpc;

/**
 * Marks an interface whose methods are calls to an endpoint. Each method takes one record, a
 * different class for each method, and returns a {@code CompletableFuture} of a record, or {@code
 * void} for a message that needs no answer.
 */
public interface Gateway {}
