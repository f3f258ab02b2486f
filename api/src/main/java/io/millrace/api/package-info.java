/**
 * What user programs are written against. A program asks {@link io.millrace.api.StreamEnvironment}
 * for streams, transforms them ({@link io.millrace.api.DataStream}, {@link
 * io.millrace.api.KeyedStream}), ends them in sinks and executes the whole as a job; {@link
 * io.millrace.api.SlotSharingGroup} says which operators share slots of which size, and a {@link
 * io.millrace.api.CachedStream} is computed once for several jobs. Nothing runs before {@code
 * execute}: the calls only collect.
 */
package io.millrace.api;
