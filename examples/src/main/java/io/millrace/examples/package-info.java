/**
 * Example programs, each built into its own jar. {@link io.millrace.examples.WordCount} is bounded,
 * {@link io.millrace.examples.RateCounter} runs until it is cancelled. {@link
 * io.millrace.examples.WindowedCount}, {@link io.millrace.examples.Sessions} and {@link
 * io.millrace.examples.TopK} use event time, {@link io.millrace.examples.FraudAlerts} uses state
 * and timers. {@link io.millrace.examples.Enrichment} sends asynchronous requests, {@link
 * io.millrace.examples.BroadcastRules} and {@link io.millrace.examples.OrdersAndPayments} have two
 * streams.
 */
package io.millrace.examples;
