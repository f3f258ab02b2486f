/**
 * Windows in time. The classes named after kinds of windows, such as {@link
 * io.millrace.api.window.TumblingEventTimeWindows}, make the {@link
 * io.millrace.api.window.WindowAssigner} that {@code KeyedStream.window} takes.
 */
package io.millrace.api.window;
