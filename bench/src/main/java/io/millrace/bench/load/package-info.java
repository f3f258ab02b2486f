/**
 * Input and measurement, the same for all engines: {@link io.millrace.bench.load.Gen} and {@link
 * io.millrace.bench.load.Text} generate records, {@link io.millrace.bench.load.RecordMeter} counts
 * them, {@link io.millrace.bench.load.SteadyState}, {@link io.millrace.bench.load.Latencies} and
 * {@link io.millrace.bench.load.Probe} measure. The package depends on no engine.
 */
package io.millrace.bench.load;
