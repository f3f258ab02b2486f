package io.millrace.api.sink;

/**
 * What a writer knows of its place. {@code attempt} tells a restarted writer from its forerunner.
 */
public record SinkContext(int subtask, int parallelism, int attempt) {}
