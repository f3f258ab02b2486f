/**
 * Metrics on their way from a task to REST: a {@link io.millrace.core.metric.MetricReading} names a
 * metric and has its value at one moment.
 */
package io.millrace.core.metric;
