package io.millrace.api;

import java.io.Serializable;

/** The sum of a number over the records of a key. */
public record Summed<K>(K key, long sum) implements Serializable {}
