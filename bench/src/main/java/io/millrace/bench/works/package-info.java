/**
 * Whole works beside the peers: {@link io.millrace.bench.works.Bench} runs each engine in fresh
 * processes, alternating, and writes the raw figures and their medians to {@code bench/results}.
 */
package io.millrace.bench.works;
