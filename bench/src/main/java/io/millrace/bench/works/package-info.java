/**
 * Works that compare Millrace with its peers: {@link io.millrace.bench.works.Bench} runs each
 * engine in new processes, alternating, and writes raw figures and medians to {@code
 * bench/results}.
 */
package io.millrace.bench.works;
