/**
 * Time from the command to the first record of a job on YARN, compared with the minimum time of
 * YARN itself: {@link io.millrace.bench.yarn.YarnBench} runs both in turn. {@code Floor} is the
 * minimum: an application whose master starts one container with a JVM that only records its start.
 */
package io.millrace.bench.yarn;
