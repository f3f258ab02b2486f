package io.millrace.api;

import java.io.Serializable;

/** How many records a key has. */
public record Counted<K>(K key, long count) implements Serializable {}
