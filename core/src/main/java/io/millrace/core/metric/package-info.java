/**
 * Metrics on their way from a task to REST and to reporters: a {@link
 * io.millrace.core.metric.MetricReading} names a metric of a task and has its value at one moment.
 * A plugin that shows metrics to another system implements {@link
 * io.millrace.core.metric.MetricReporterProvider}, and reads {@link
 * io.millrace.core.metric.MetricSample}s of its whole process.
 */
package io.millrace.core.metric;
