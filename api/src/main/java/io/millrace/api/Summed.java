package io.millrace.api;

import java.io.Serializable;

/** What the records of a key add up to. */
public record Summed<K>(K key, long sum) implements Serializable {}
