package io.millrace.graph;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.Partitioner;
import java.io.Serializable;

/** What a custom edge routes by. */
public record CustomPartitioning(KeySelector<Object, Object> key, Partitioner<Object> partitioner)
    implements Serializable {}
