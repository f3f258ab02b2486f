/**
 * What every engine is fed and measured with, so that the works are the same on all of them: {@link
 * io.millrace.bench.load.Gen} and {@link io.millrace.bench.load.Text} make records, {@link
 * io.millrace.bench.load.Meter} counts them, {@link io.millrace.bench.load.Steady}, {@link
 * io.millrace.bench.load.Latencies} and {@link io.millrace.bench.load.Probe} measure. Depends on no
 * engine.
 */
package io.millrace.bench.load;
