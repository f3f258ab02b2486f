/**
 * How long a job on YARN takes from the command to its first record, beside what YARN itself takes
 * for as little as possible: {@link io.millrace.bench.yarn.YarnBench} runs both in turn. {@code
 * Floor} is that least: an application whose master starts one container, in which a JVM does
 * nothing but tell the time.
 */
package io.millrace.bench.yarn;
