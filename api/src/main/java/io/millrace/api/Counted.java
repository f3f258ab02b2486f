package io.millrace.api;

import java.io.Serializable;

/** The number of records of a key. */
public record Counted<K>(K key, long count) implements Serializable {}
