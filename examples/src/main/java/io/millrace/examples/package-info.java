/**
 * Programs to try the engine with, each built into a jar of its own. {@link
 * io.millrace.examples.WordCount} ends by itself, {@link io.millrace.examples.RateCounter} runs
 * until it is cancelled; {@link io.millrace.examples.WindowedCount}, {@link
 * io.millrace.examples.Sessions} and {@link io.millrace.examples.TopK} work in event time.
 */
package io.millrace.examples;
