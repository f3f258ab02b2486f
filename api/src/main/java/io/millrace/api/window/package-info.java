/**
 * Time windows. Classes such as {@link io.millrace.api.window.TumblingEventTimeWindows} create the
 * {@link io.millrace.api.window.WindowAssigner} that {@code KeyedStream.window} takes.
 */
package io.millrace.api.window;
