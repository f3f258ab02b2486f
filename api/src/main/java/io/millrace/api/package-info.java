/**
 * The API of user programs. {@link io.millrace.api.StreamEnvironment} is the entry: a program
 * creates streams from sources, transforms them ({@link io.millrace.api.DataStream}, {@link
 * io.millrace.api.KeyedStream}), ends them in sinks and executes them as a job. Nothing runs before
 * {@code execute}: the calls only collect transformations. A {@link io.millrace.api.CachedStream}
 * is computed once for several jobs.
 *
 * <p>This package uses all packages below it; none of them uses this one.
 */
package io.millrace.api;
