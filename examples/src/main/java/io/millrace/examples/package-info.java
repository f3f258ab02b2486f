/**
 * Programs to try the engine with. {@link io.millrace.examples.WordCount} ends by itself, {@link
 * io.millrace.examples.RateCounter} runs until it is cancelled; each is built into a jar of its
 * own.
 */
package io.millrace.examples;
