package io.millrace.graph;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.Partitioner;
import java.io.Serializable;

/** The key selector and the partitioner of a custom edge. */
public record CustomPartitioning(KeySelector<Object, Object> key, Partitioner<Object> partitioner)
    implements Serializable {}
