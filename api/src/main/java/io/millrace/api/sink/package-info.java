/**
 * Sinks. A {@link io.millrace.api.sink.Sink} creates one {@link io.millrace.api.sink.SinkWriter} in
 * each parallel instance. The guarantee of a sink depends on its kind:
 *
 * <ul>
 *   <li>A plain {@link io.millrace.api.sink.Sink} hands records over at each checkpoint at the
 *       latest. After a failure the records since the last checkpoint are written again.
 *   <li>A {@link io.millrace.api.sink.StatefulSink} also has state in checkpoints.
 *   <li>A {@link io.millrace.api.sink.CommittingSink} makes its output visible exactly once, with
 *       the checkpoint that contains it.
 * </ul>
 *
 * {@link io.millrace.api.sink.TextFileSink} is the example of the last two.
 */
package io.millrace.api.sink;
