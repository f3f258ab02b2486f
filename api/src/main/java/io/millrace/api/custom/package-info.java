/**
 * Operators that a program writes itself, where functions are not enough: they see watermarks and
 * the end of the input and decide about those that leave. {@link
 * io.millrace.api.custom.CustomOperator} is the base; {@code DataStream.transform} and {@code
 * ConnectedStreams.transform} add one.
 */
package io.millrace.api.custom;
