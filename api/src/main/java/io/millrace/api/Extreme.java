package io.millrace.api;

import java.io.Serializable;

/** The lowest or highest value over the records of a key. */
public record Extreme<K, V>(K key, V value) implements Serializable {}
