/**
 * What a function measures besides its records. A function gets its {@link
 * io.millrace.api.metric.MetricGroup} from its context; REST, the web page and the reporters show
 * the metrics of each task.
 */
package io.millrace.api.metric;
