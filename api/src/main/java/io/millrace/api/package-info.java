/**
 * The API of user programs. {@link io.millrace.api.StreamEnvironment} is the entry: a program
 * creates streams from sources, transforms them ({@link io.millrace.api.DataStream}, {@link
 * io.millrace.api.KeyedStream}), ends them in sinks and executes them as a job. Nothing runs before
 * {@code execute}: the calls only collect transformations. A {@link io.millrace.api.CachedStream}
 * is computed once for several jobs.
 *
 * <p>In the examples of all packages {@code env} is the environment of the program. {@code orders}
 * and {@code payments} are streams of these records:
 *
 * <pre>{@code
 * record Order(String customer, long time, long cents) {}
 *
 * record Payment(String customer, long time, long cents) {}
 * }</pre>
 *
 * <p>This package uses all packages below it; none of them uses this one.
 */
package io.millrace.api;
